import type { Readable } from "node:stream";

/** Writes only complete lines: output of several streams never mixes within a line. */
export function readWholeLines(stream: Readable, write: (lines: string) => void): void {
  let begun = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) write(begun + text.slice(0, end));
    begun = end > 0 ? text.slice(end) : begun + text;
  });
  stream.once("end", () => {
    if (begun) write(`${begun}\n`);
  });
}
