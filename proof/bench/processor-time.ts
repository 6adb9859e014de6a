import { readdir, readFile } from "node:fs/promises";

/** Processor time so far, in milliseconds. */
export type ProcessorTime = {
  /** Of one process with all of its threads. */
  process: number;
  /** Of all processes of the database. */
  database: number;
};

/** Linux counts processor time in hundredths of a second, whatever the machine. */
const tickMs = 10;

/**
 * What a process and those of the database have used: the kernel's own count, so that what else the machine does is no
 * part of it. `postmaster` is the database's first process. Not a number where no /proc tells.
 */
export async function processorTime(pid: number, postmaster: number): Promise<ProcessorTime> {
  const processes = await readdir("/proc").catch(() => []);
  const all = await Promise.all(processes.filter((name) => /^\d+$/.test(name)).map(statOf));
  const found = all.filter((one) => one !== undefined);
  const sumOf = (wanted: (one: Stat) => boolean) =>
    found.filter(wanted).reduce((sum, one) => sum + one.milliseconds, 0);
  return {
    process: found.length > 0 ? sumOf((one) => one.pid === pid) : Number.NaN,
    database:
      found.length > 0 ? sumOf((one) => one.parent === postmaster) + ended(found, postmaster) : Number.NaN,
  };
}

/** Of the processes that it started and that have ended. */
const ended = (all: readonly Stat[], pid: number): number =>
  all.find((one) => one.pid === pid)?.ofChildren ?? Number.NaN;

type Stat = { pid: number; parent: number; milliseconds: number; ofChildren: number };

/** Of proc(5): after the name, in parentheses, come the state, the parent, and from the 12th place on the times. */
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
