import { rename } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { isRunning, readPostmaster } from "./postgres-folder.ts";

type Streams = { input: NodeJS.ReadableStream & { isTTY?: boolean }; output: NodeJS.WritableStream };

/** Asks on the terminal whether to start with a new folder; false without a terminal. */
export async function wantsNewFolder(
  reason: string,
  dataDir: string,
  streams: Streams = { input: process.stdin, output: process.stdout },
): Promise<boolean> {
  if (!streams.input.isTTY) return false;
  const terminal = createInterface(streams);
  const answer = await terminal.question(
    `${reason}.\nStart with a new folder, and keep the old one next to ${dataDir}? [Y/n] `,
  );
  terminal.close();
  return /^(y|yes)?$/i.test(answer.trim());
}

/** Renames the folder, and returns its new name, such as `.data-2026-11-29T00-15-03`. */
export async function setAside(dataDir: string): Promise<string> {
  const server = await readPostmaster(path.join(dataDir, "postgres"));
  if (server && isRunning(server.pid))
    throw new Error(`PostgreSQL is still running on ${dataDir}. Stop the process that uses it first`);
  const kept = `${dataDir}-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`;
  await rename(dataDir, kept);
  return kept;
}
