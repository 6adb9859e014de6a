import { open } from "node:fs/promises";
import path from "node:path";
import type { Writable } from "node:stream";
import { createStream } from "rotating-file-stream";
import type { Config } from "../../config.ts";
import type { DestinationStream } from "./log.ts";
import { mkdirp } from "./mkdirp.ts";

export type LogFileStream = DestinationStream & { close(): Promise<void> };

type Settings = Pick<Config, "LOG_DIR" | "LOG_FILE_MAX_BYTES" | "LOG_FILE_BACKUP_COUNT">;

const newest = "service.log";

/** The message is for the operator. */
export class LogFilesNotWritable extends Error {
  override name = "CannotKeepLog";

  constructor(file: string, cause: NodeJS.ErrnoException) {
    const remedy = "set LOG_DIR to a writable folder, or LOG_FILE_ENABLED=false";
    super(`Cannot write logs to ${file} (${cause.code}): ${remedy}`, { cause });
  }
}

/** Rejects with `LogFilesNotWritable` if log files cannot be written. */
export async function ensureLogFilesWritable({
  LOG_FILE_ENABLED,
  LOG_DIR,
}: Pick<Config, "LOG_FILE_ENABLED" | "LOG_DIR">): Promise<void> {
  if (!LOG_FILE_ENABLED) return;
  const file = path.resolve(LOG_DIR, newest);
  try {
    await mkdirp(path.dirname(file));
    await (await open(file, "a")).close();
  } catch (error) {
    throw new LogFilesNotWritable(file, error as NodeJS.ErrnoException);
  }
}

type Tell = (fields: object, message: string) => void;

const defaultLogFileRetryMs = 5000;

/**
 * `service.log` in LOG_DIR, rotated to `service.log.1` (newest) up to `service.log.<LOG_FILE_BACKUP_COUNT>`;
 * without backups, one file grows. While writing fails, as on a full disk, lines are dropped.
 */
export function openLogFiles(
  settings: Settings,
  tell: Tell = () => {},
  retryMs = defaultLogFileRetryMs,
): LogFileStream {
  let retry: NodeJS.Timeout | undefined;
  let missing = 0;
  let stream: Writable | undefined = open();

  function open(): Writable {
    const opened = streamOf(settings);
    opened.on("error", (error) => {
      if (stream !== opened) return;
      stream = undefined;
      tell({ reason: error.message }, "the log files cannot be written, so lines are lost");
      tryLater();
    });
    return opened;
  }

  function tryLater(): void {
    retry = setTimeout(() => {
      const trial = open();
      trial.once("error", tryLater);
      // The last line before the failure may be incomplete.
      trial.write("\n", (error) => {
        if (error) return;
        trial.off("error", tryLater);
        stream = trial;
        tell({ missing }, "the log files can be written again");
        missing = 0;
      });
    }, retryMs).unref();
  }

  return {
    write(lines) {
      if (stream) stream.write(lines);
      else missing += lines.split("\n").length - 1;
    },
    close() {
      clearTimeout(retry);
      const open = stream;
      return new Promise((resolve) => (open ? open.end(resolve) : resolve()));
    },
  };
}

function streamOf({ LOG_DIR, LOG_FILE_MAX_BYTES, LOG_FILE_BACKUP_COUNT }: Settings): Writable {
  const nameOf = (index: number | Date) => (index ? `${newest}.${index}` : newest);
  const rotation = { size: `${LOG_FILE_MAX_BYTES}B` as const, rotate: LOG_FILE_BACKUP_COUNT };
  return createStream(nameOf, { path: LOG_DIR, ...(LOG_FILE_BACKUP_COUNT > 0 && rotation) });
}

export const teeLogStreams = (one: DestinationStream, other: DestinationStream): DestinationStream => ({
  write(lines) {
    one.write(lines);
    other.write(lines);
  },
});
