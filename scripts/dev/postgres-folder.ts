import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { access, chown, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Binaries, RunAs } from "./postgres-binaries.ts";

const run = promisify(execFile);

/** Contents of the server's postmaster.pid. */
export type Postmaster = { pid: number; port: number };

export type NewFolder = {
  binaries: Binaries;
  user: RunAs;
  /** The superuser of the new server. */
  account: { user: string; password: string };
  durable: boolean;
};

/** True if a complete data folder exists. */
export async function isInitialised(dataDir: string): Promise<boolean> {
  return access(path.join(dataDir, "PG_VERSION")).then(
    () => true,
    () => false,
  );
}

/**
 * Creates the data folder under a temporary name and renames it when complete. The next start deletes an
 * incomplete one.
 */
export async function initialise(
  dataDir: string,
  { binaries, user, account, durable }: NewFolder,
): Promise<void> {
  await checkEmpty(dataDir);
  const draft = `${dataDir}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) await chown(draft, user.uid, user.gid);
  const passwordFile = `${dataDir}.password`;
  await writeFile(passwordFile, account.password);
  const flags = ["--auth=password", `--username=${account.user}`, `--pwfile=${passwordFile}`];
  // Otherwise the machine's locale decides, which may mean SQL_ASCII.
  flags.push("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8");
  // The password is part of every address anyway, so an expensive check would gain nothing.
  flags.push("--set=scram_iterations=1");
  if (!durable) flags.push("--no-sync");
  try {
    await run(binaries.initdb, [`--pgdata=${draft}`, ...flags], { ...user, cwd: path.parse(dataDir).root });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rmdir(dataDir).catch(() => {});
  await rename(draft, dataDir);
}

async function checkEmpty(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir).catch(() => []);
  if (entries.length > 0)
    throw new Error(
      `${dataDir} is not empty, and contains no PostgreSQL data. Name another folder, or remove it`,
    );
}

/** The server recorded for this folder. If it was killed, the file is stale. */
export async function readPostmaster(dataDir: string): Promise<Postmaster | undefined> {
  const text = await readFile(postmasterFile(dataDir), "utf8").catch(() => "");
  const lines = text.split("\n");
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 0 && port > 0 ? { pid, port } : undefined;
}

/** Another process may have the pid of a killed server, and a stale file prevents the start. */
export async function deletePostmaster(dataDir: string): Promise<void> {
  await rm(postmasterFile(dataDir), { force: true });
}

const postmasterFile = (dataDir: string) => path.join(dataDir, "postmaster.pid");

const usersFile = (dataDir: string) => path.join(dataDir, "users.pid");

/** Records that this process uses the folder's server. */
export function joinUsers(dataDir: string): void {
  writeUsers(dataDir, [...otherUsers(dataDir), process.pid]);
}

/** Removes this process; true if no other living process uses the server, so it may be stopped. */
export function leaveUsers(dataDir: string): boolean {
  const others = otherUsers(dataDir);
  writeUsers(dataDir, others);
  return others.length === 0;
}

/** Synchronous, because an exiting process cannot wait. */
function otherUsers(dataDir: string): number[] {
  const text = existsSync(usersFile(dataDir)) ? readFileSync(usersFile(dataDir), "utf8") : "";
  const users = text.split("\n").map(Number);
  return users.filter((pid) => pid > 0 && pid !== process.pid && isRunning(pid) && !isZombie(pid));
}

const writeUsers = (dataDir: string, users: readonly number[]) =>
  writeFileSync(usersFile(dataDir), users.map((pid) => `${pid}\n`).join(""));

/** A killed process remains listed until its parent reaps it. */
const isZombie = (pid: number): boolean =>
  spawnSync("ps", ["-o", "stat=", "-p", String(pid)])
    .stdout?.toString()
    .trim()
    .startsWith("Z") ?? false;

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
