import { execFile } from "node:child_process";
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
export async function forgetPostmaster(dataDir: string): Promise<void> {
  await rm(postmasterFile(dataDir), { force: true });
}

const postmasterFile = (dataDir: string) => path.join(dataDir, "postmaster.pid");

const ownerFile = (dataDir: string) => path.join(dataDir, "owner.pid");

/** Marks this process as the one that stops the server. */
export async function claimFolder(dataDir: string): Promise<void> {
  await writeFile(ownerFile(dataDir), `${process.pid}\n`);
}

/** Whether another living process counts on the server of this folder. */
export async function isClaimed(dataDir: string): Promise<boolean> {
  const owner = Number(await readFile(ownerFile(dataDir), "utf8").catch(() => ""));
  return owner > 0 && owner !== process.pid && isRunning(owner) && !(await isZombie(owner));
}

/** A killed process stays in the system's list until its parent has taken notice. */
async function isZombie(pid: number): Promise<boolean> {
  return run("ps", ["-o", "stat=", "-p", String(pid)]).then(
    ({ stdout }) => stdout.trim().startsWith("Z"),
    () => false,
  );
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
