import { createStream } from "rotating-file-stream";
import type { Config } from "./config.ts";
import type { DestinationStream } from "./log.ts";

export type LogFiles = DestinationStream & { close(): Promise<void> };

type Settings = Pick<Config, "LOG_DIR" | "LOG_FILE_MAX_BYTES" | "LOG_FILE_BACKUP_COUNT">;

/**
 * Log files for a server: `service.log` in LOG_DIR, and when that is full `service.log.1`, which is the newest,
 * to `service.log.<LOG_FILE_BACKUP_COUNT>`. Where none are to be kept, the one file grows.
 */
export function openLogFiles({ LOG_DIR, LOG_FILE_MAX_BYTES, LOG_FILE_BACKUP_COUNT }: Settings): LogFiles {
  const nameOf = (index: number | Date) => (index ? `service.log.${index}` : "service.log");
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
