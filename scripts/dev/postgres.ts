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

/** For a server that listens on this machine alone. */
const account = { user: "learning_platform", password: "local" };
const DATABASE = "learning_platform";

export type LocalPostgres = { url: string; port: number; stop(): Promise<void> };

export type LocalPostgresOptions = {
  dataDir: string;
  /** A free one by default. A server that runs already keeps its own. */
  port?: number;
  /** False gives up every guarantee against a power cut, for speed: for tests. */
  durable: boolean;
  onProgress?: (message: string) => void;
};

/**
 * Starts a real PostgreSQL on 127.0.0.1 with its data in `dataDir`, made on first use, and the database
 * `learning_platform` in it. A server that a killed process left behind is taken over, data and all; one that
 * other living processes use is shared, and the last of them to `stop` stops it.
 */
export async function startLocalPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  const dataDir = path.resolve(options.dataDir);
  const report = options.onProgress ?? (() => {});
  const [binaries, user] = await Promise.all([findBinaries(), chooseUser()]);
  await mkdir(path.dirname(dataDir), { recursive: true });
  await checkReachable(user, [dataDir, binaries.initdb]);
  if (!(await folder.isInitialised(dataDir))) {
    report(`Making a PostgreSQL data folder in ${dataDir}`);
    await folder.initialise(dataDir, { binaries, user, account, durable: options.durable });
  }

  let port = await portOfRunning(dataDir);
  port ??= await startServer({ ...options, dataDir }, binaries, user);
  folder.joinUsers(dataDir);
  await createDatabase(port);
  report(`PostgreSQL listens on 127.0.0.1:${port}`);
  return { url: urlOf(port), port, stop: await stopper(dataDir, binaries, user) };
}

/** Ends a server that a killed process left behind, if one still runs on this folder. */
export async function stopAbandonedPostgres(dataDir: string): Promise<void> {
  if ((await portOfRunning(dataDir)) === undefined) return;
  const stop = await stopper(dataDir, await findBinaries(), await chooseUser());
  await stop();
}

/** The port of a server that already runs on this folder, once it answers; what a dead one left is cleared. */
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
        `PostgreSQL (process ${postmaster.pid}) holds ${dataDir} and does not answer: stop it first`,
      );
    await sleep(100);
  }
}

/** Which folder the server on this port serves; undefined when none answers to our account. */
async function dataFolderOf(port: number): Promise<string | undefined> {
  return asAdmin(port, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>("show data_directory");
    return rows[0] && realpath(rows[0].data_directory);
  }).catch(() => undefined);
}

/** Whether a process is a live PostgreSQL: a killed one stays in the list as a zombie until its parent looks. */
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

/** Ends the server in an orderly way, unless others use it; a process that ends without calling it does so on exit. */
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
