import { open } from "node:fs/promises";
import path from "node:path";
import { createStream } from "rotating-file-stream";
import type { Config } from "./config.ts";
import type { DestinationStream } from "./log.ts";
import { makeFolder } from "./make-folder.ts";

export type LogFiles = DestinationStream & { close(): Promise<void> };

type Settings = Pick<Config, "LOG_DIR" | "LOG_FILE_MAX_BYTES" | "LOG_FILE_BACKUP_COUNT">;

const newest = "service.log";

/** No log can be kept where the settings say: the message is for the operator. */
export class CannotKeepLog extends Error {
  override name = "CannotKeepLog";

  constructor(file: string, cause: NodeJS.ErrnoException) {
    const remedy = "set LOG_DIR to a folder that can be written, or LOG_FILE_ENABLED=false";
    super(`No log can be kept in ${file} (${cause.code}): ${remedy}`, { cause });
  }
}

/** Rejects with `CannotKeepLog` where the settings ask for log files that cannot be written. */
export async function checkLogFiles({
  LOG_FILE_ENABLED,
  LOG_DIR,
}: Pick<Config, "LOG_FILE_ENABLED" | "LOG_DIR">): Promise<void> {
  if (!LOG_FILE_ENABLED) return;
  const file = path.resolve(LOG_DIR, newest);
  try {
    await makeFolder(path.dirname(file));
    await (await open(file, "a")).close();
  } catch (error) {
    throw new CannotKeepLog(file, error as NodeJS.ErrnoException);
  }
}

/**
 * Log files for a server: `service.log` in LOG_DIR, and when that is full `service.log.1`, which is the newest,
 * to `service.log.<LOG_FILE_BACKUP_COUNT>`. Where none are to be kept, the one file grows.
 */
export function openLogFiles({ LOG_DIR, LOG_FILE_MAX_BYTES, LOG_FILE_BACKUP_COUNT }: Settings): LogFiles {
  const nameOf = (index: number | Date) => (index ? `${newest}.${index}` : newest);
  const rotation = { size: `${LOG_FILE_MAX_BYTES}B` as const, rotate: LOG_FILE_BACKUP_COUNT };
  const stream = createStream(nameOf, { path: LOG_DIR, ...(LOG_FILE_BACKUP_COUNT > 0 && rotation) });
  stream.on("error", (error) => console.error(`The log cannot be written: ${error.message}`));
  return {
    write: (line) => void stream.write(line),
    close: () => new Promise((resolve) => stream.end(resolve)),
  };
}

/** Writes everything to both. */
export const toBoth = (one: DestinationStream, other: DestinationStream): DestinationStream => ({
  write(line) {
    one.write(line);
    other.write(line);
  },
});
