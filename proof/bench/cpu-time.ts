import { readdir, readFile } from "node:fs/promises";

/** CPU milliseconds so far. */
export type ServerAndDatabaseCpuMs = {
  /** Of a process and its descendants, with all threads. */
  process: number;
  /** Of all database processes. */
  database: number;
};

/** Linux counts CPU time in hundredths of a second on every machine. */
const tickMs = 10;

/**
 * CPU time of a process tree and of the database, by the kernel's accounting, so other load does not count.
 * `postmaster` is the database's main process. NaN without /proc.
 */
export async function readCumulativeCpuMs(pid: number, postmaster: number): Promise<ServerAndDatabaseCpuMs> {
  const processes = await readdir("/proc").catch(() => []);
  const all = await Promise.all(processes.filter((name) => /^\d+$/.test(name)).map(statOf));
  const found = all.filter((one) => one !== undefined);
  const sumOf = (wanted: (one: Stat) => boolean) =>
    found.filter(wanted).reduce((sum, one) => sum + one.milliseconds, 0);
  return {
    process: found.length > 0 ? sumOf((one) => isWithin(one, pid, found)) : Number.NaN,
    database:
      found.length > 0 ? sumOf((one) => one.parent === postmaster) + ended(found, postmaster) : Number.NaN,
  };
}

function isWithin({ pid, parent }: Stat, root: number, all: readonly Stat[]): boolean {
  if (pid === root) return true;
  const above = all.find((one) => one.pid === parent);
  return above !== undefined && isWithin(above, root, all);
}

/** Of its terminated children. */
const ended = (all: readonly Stat[], pid: number): number =>
  all.find((one) => one.pid === pid)?.ofChildren ?? Number.NaN;

type Stat = { pid: number; parent: number; milliseconds: number; ofChildren: number };

/** proc(5): the name in parentheses is followed by state and parent; times start at field 12 after it. */
async function statOf(name: string): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${name}/stat`, "utf8").catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  if (!fields) return undefined;
  const [user = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = fields.slice(11, 15).map(Number);
  return {
    pid: Number(name),
    parent: Number(fields[1]),
    milliseconds: (user + system) * tickMs,
    ofChildren: (ofChildren + systemOfChildren) * tickMs,
  };
}
