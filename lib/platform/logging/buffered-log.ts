import type { Writable } from "node:stream";
import { createLog, type Logger, type LogSettings } from "./log.ts";

const batchCharacters = 4096;
const longestDelayMs = 100;
const mostWaitingBytes = 4 * 2 ** 20;

export type BufferedLog = {
  log: Logger;
  /** Resolves when all lines are written. */
  flush(): Promise<void>;
};

/**
 * Writes several lines at once, a tenth of a second later at most. One write for each line takes a third of a short
 * request's processor time in `npm start`, where another process reads them. While 4 MB wait, further lines are
 * dropped; a warning counts them afterwards.
 */
export function createBufferedLog(config: LogSettings, output: Writable = process.stdout): BufferedLog {
  let lines = "";
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const writeLines = (whenWritten?: () => void): void => {
    clearTimeout(timer);
    timer = undefined;
    output.write(lines, whenWritten);
    lines = "";
  };
  const log = createLog(config, {
    write(line) {
      if (output.writableLength + lines.length > mostWaitingBytes) {
        dropped += 1;
        return;
      }
      lines += line;
      if (lines.length >= batchCharacters) writeLines();
      else timer ??= setTimeout(writeLines, longestDelayMs).unref();
    },
  });
  output.on("drain", () => {
    if (dropped === 0) return;
    log.warn({ dropped }, "log lines were dropped, because nobody read them");
    dropped = 0;
  });
  process.once("exit", () => writeLines());
  return { log, flush: () => new Promise<void>((resolve) => writeLines(resolve)) };
}
