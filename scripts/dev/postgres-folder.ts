import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { access, chown, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Binaries, RunAs } from "./postgres-binaries.ts";

const run = promisify(execFile);

/** What the server writes about itself into its data folder. */
export type Postmaster = { pid: number; port: number };

export type NewFolder = {
  binaries: Binaries;
  user: RunAs;
  /** The superuser of the new server. */
  account: { user: string; password: string };
  durable: boolean;
};

/** Whether a complete data folder is in its place. */
export async function isInitialised(dataDir: string): Promise<boolean> {
  return access(path.join(dataDir, "PG_VERSION")).then(
    () => true,
    () => false,
  );
}

/**
 * Makes the data folder beside its place and renames it when it is complete, so that an interrupted start leaves
 * only a folder that the next one throws away.
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
  // Without these the machine's own locale decides, and on a plain one the encoding would be SQL_ASCII.
  flags.push("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8");
  // The password stands in every address of the server: nothing is gained by making it dear to check at each connection.
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
      `${dataDir} is not empty and holds no PostgreSQL data: name another folder, or remove it`,
    );
}

/** The server that says it runs on this folder. It may have been killed since: the file stays behind then. */
export async function readPostmaster(dataDir: string): Promise<Postmaster | undefined> {
  const text = await readFile(postmasterFile(dataDir), "utf8").catch(() => "");
  const lines = text.split("\n");
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 0 && port > 0 ? { pid, port } : undefined;
}

/** Another process may have got the number of a server that was killed; a file that names it blocks the start. */
export async function deletePostmaster(dataDir: string): Promise<void> {
  await rm(postmasterFile(dataDir), { force: true });
}

const postmasterFile = (dataDir: string) => path.join(dataDir, "postmaster.pid");

const usersFile = (dataDir: string) => path.join(dataDir, "users.pid");

/** Notes that this process counts on the server of this folder. */
export function joinUsers(dataDir: string): void {
  writeUsers(dataDir, [...otherUsers(dataDir), process.pid]);
}

/** Notes that it does no more; answers whether no other living process does, so that the server may be stopped. */
export function leaveUsers(dataDir: string): boolean {
  const others = otherUsers(dataDir);
  writeUsers(dataDir, others);
  return others.length === 0;
}

/** At once, since a process that exits has no time to wait. */
function otherUsers(dataDir: string): number[] {
  const text = existsSync(usersFile(dataDir)) ? readFileSync(usersFile(dataDir), "utf8") : "";
  const users = text.split("\n").map(Number);
  return users.filter((pid) => pid > 0 && pid !== process.pid && isRunning(pid) && !isZombie(pid));
}

const writeUsers = (dataDir: string, users: readonly number[]) =>
  writeFileSync(usersFile(dataDir), users.map((pid) => `${pid}\n`).join(""));

/** A killed process stays in the system's list until its parent has taken notice. */
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
