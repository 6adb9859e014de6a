import { execFile } from "node:child_process";
import { mkdir, readFile, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { type Binaries, checkReachable, chooseUser, findBinaries, type RunAs } from "./postgres-binaries.ts";
import * as folder from "./postgres-folder.ts";

const run = promisify(execFile);

/** The server listens on this machine only. */
const account = { user: "learning_platform", password: "local" };
const DATABASE = "learning_platform";

export type LocalPostgres = { url: string; port: number; stop(): Promise<void> };

export type LocalPostgresOptions = {
  dataDir: string;
  /** Default: a free one. A running server keeps its port. */
  port?: number;
  /** False disables durability for speed, for tests. */
  durable: boolean;
  onProgress?: (message: string) => void;
};

/**
 * Starts PostgreSQL on 127.0.0.1 with its data in `dataDir`, created on first use, and the database
 * `learning_platform`. Takes over a server that a killed process left. Shares a server in use; its last user
 * stops it.
 */
export async function startLocalPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  const dataDir = path.resolve(options.dataDir);
  const report = options.onProgress ?? (() => {});
  const [binaries, user] = await Promise.all([findBinaries(), chooseUser()]);
  await mkdir(path.dirname(dataDir), { recursive: true });
  await checkReachable(user, [dataDir, binaries.initdb]);
  if (!(await folder.isInitialised(dataDir))) {
    report(`Creating a PostgreSQL data folder in ${dataDir}`);
    await folder.initialise(dataDir, { binaries, user, account, durable: options.durable });
  }

  let port = await portOfRunning(dataDir);
  port ??= await startServer({ ...options, dataDir }, binaries, user);
  folder.joinUsers(dataDir);
  await createDatabase(port);
  report(`PostgreSQL listens on 127.0.0.1:${port}`);
  return { url: urlOf(port), port, stop: await stopper(dataDir, binaries, user) };
}

/** Stops a running server that a killed process left in this folder. */
export async function stopAbandonedPostgres(dataDir: string): Promise<void> {
  if ((await portOfRunning(dataDir)) === undefined) return;
  const stop = await stopper(dataDir, await findBinaries(), await chooseUser());
  await stop();
}

/** The port of the folder's running server, once it responds; deletes a dead one's file. */
async function portOfRunning(dataDir: string): Promise<number | undefined> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const postmaster = await folder.readPostmaster(dataDir);
    if (!postmaster || !folder.isRunning(postmaster.pid)) return undefined;
    if ((await dataFolderOf(postmaster.port)) === (await realpath(dataDir))) return postmaster.port;
    if (!(await isPostgres(postmaster.pid))) {
      await folder.deletePostmaster(dataDir);
      return undefined;
    }
    if (Date.now() > deadline)
      throw new Error(
        `PostgreSQL (process ${postmaster.pid}) uses ${dataDir} and does not answer. Stop it first`,
      );
    await sleep(100);
  }
}

/** The data folder of the server on this port; undefined if our account cannot connect. */
async function dataFolderOf(port: number): Promise<string | undefined> {
  return asAdmin(port, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>("show data_directory");
    return rows[0] && realpath(rows[0].data_directory);
  }).catch(() => undefined);
}

/** True if the process is a live PostgreSQL, rather than a zombie. */
async function isPostgres(pid: number): Promise<boolean> {
  return run("ps", ["-o", "stat=", "-o", "args=", "-p", String(pid)]).then(
    ({ stdout }) => stdout.includes("postgres") && !stdout.startsWith("Z"),
    () => folder.isRunning(pid),
  );
}

async function startServer(options: LocalPostgresOptions, binaries: Binaries, user: RunAs): Promise<number> {
  const port = options.port ?? (await freePort());
  const logFile = path.join(options.dataDir, "server.log");
  await rm(logFile, { force: true });
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300"];
  if (!options.durable) settings.push("fsync=off", "synchronous_commit=off", "full_page_writes=off");
  const flags = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)].join(" ");
  const start = ["start", "--wait", "--silent", `--pgdata=${options.dataDir}`, `--log=${logFile}`];
  try {
    await run(binaries.pg_ctl, [...start, `--options=${flags}`], { ...user, cwd: options.dataDir });
  } catch (cause) {
    const log = await readFile(logFile, "utf8").catch(() => "it wrote no log");
    throw new Error(`PostgreSQL did not start on port ${port}:\n${log.trim()}`, { cause });
  }
  return port;
}

/** Returns a function that stops the server gracefully unless it is in use. It also runs on process exit. */
async function stopper(dataDir: string, binaries: Binaries, user: RunAs): Promise<() => Promise<void>> {
  const postmaster = await folder.readPostmaster(dataDir);
  const onExit = () => {
    if (postmaster && folder.isRunning(postmaster.pid) && folder.leaveUsers(dataDir))
      process.kill(postmaster.pid, "SIGINT");
  };
  process.once("exit", onExit);
  let stopped: Promise<unknown> | undefined;
  return async () => {
    if (!stopped && !folder.leaveUsers(dataDir)) return void process.off("exit", onExit);
    stopped ??= run(binaries.pg_ctl, ["stop", "--wait", "--silent", "--mode=fast", `--pgdata=${dataDir}`], {
      ...user,
      cwd: dataDir,
    });
    await stopped;
    process.off("exit", onExit);
  };
}

async function createDatabase(port: number): Promise<void> {
  await asAdmin(port, async (client) => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [DATABASE]);
    if (!rowCount) await client.query(`create database ${DATABASE}`);
  });
}

async function asAdmin<T>(port: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf(port, "postgres"), connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

function urlOf(port: number, database = DATABASE): string {
  return `postgresql://${account.user}:${account.password}@127.0.0.1:${port}/${database}`;
}
