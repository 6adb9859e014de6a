import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalPostgres, startLocalPostgres } from "../../../scripts/dev/postgres.ts";
import { readPostmaster } from "../../../scripts/dev/postgres-folder.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

let folder: string;
let dataDir: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "local-postgres-"));
  await chmod(folder, 0o755);
  dataDir = path.join(folder, "made/on/the/way");
});

afterAll(() => rm(folder, { recursive: true }));

const start = (dir = dataDir) => startLocalPostgres({ dataDir: dir, durable: false });

async function query(server: LocalPostgres, statement: string): Promise<unknown[]> {
  const client = new pg.Client(server.url);
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

/** Starts the server from another process, and kills that process at the end. */
async function whileStartedElsewhere(work: () => Promise<void>): Promise<void> {
  const script = new URL("../../../scripts/dev/postgres.ts", import.meta.url).href;
  const code = `import { startLocalPostgres } from ${JSON.stringify(script)};
    await startLocalPostgres({ dataDir: ${JSON.stringify(dataDir)}, durable: false });
    console.log("started");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  await work();
  child.kill("SIGKILL");
  await once(child, "exit");
}

test("data written before a stop survives the restart", async () => {
  const first = await start();
  await query(first, "create table kept as select 'here' as word");
  await first.stop();
  await expect(query(first, "select")).rejects.toThrow("ECONNREFUSED");

  const second = await start();
  expect(await query(second, "select * from kept")).toEqual([{ word: "here" }]);
  expect(await query(second, "show server_encoding")).toEqual([{ server_encoding: "UTF8" }]);
  await second.stop();
});

test("a server whose starter was killed is taken over, and stopped in the end", async () => {
  let port = 0;
  await whileStartedElsewhere(async () => {
    port = (await readPostmaster(dataDir))?.port ?? 0;
  });
  const server = await start();
  expect(server.port).toBe(port);
  expect(await query(server, "select * from kept")).toHaveLength(1);
  await server.stop();
  expect(await readPostmaster(dataDir)).toBeUndefined();
});

test("a server that another living process started is shared, and left running", async () => {
  await whileStartedElsewhere(async () => {
    const shared = await start();
    await shared.stop();
    expect(await query(shared, "select * from kept")).toHaveLength(1);
  });
  await (await start()).stop();
});

test("a server that two processes use outlives the one that started it", async () => {
  const first = await start();
  await whileStartedElsewhere(async () => {
    await first.stop();
    expect(await query(first, "select * from kept")).toHaveLength(1);
  });
  await (await start()).stop();
  expect(await readPostmaster(dataDir)).toBeUndefined();
});

test("the server starts again after it was killed itself", async () => {
  await start();
  process.kill((await readPostmaster(dataDir))?.pid ?? 0, "SIGKILL");
  const again = await start();
  expect(await query(again, "select * from kept")).toHaveLength(1);
  await again.stop();
});

test("remains of an interrupted first start do not prevent the next", async () => {
  const dir = path.join(folder, "interrupted");
  await mkdir(`${dir}.new/base`, { recursive: true });
  await (await start(dir)).stop();
});

test("a folder with other files in it is left alone", async () => {
  const dir = path.join(folder, "documents");
  await mkdir(dir);
  await writeFile(path.join(dir, "thesis.txt"), "years of work");
  await expect(start(dir)).rejects.toThrow("is not empty");
});
