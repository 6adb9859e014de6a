import type { Readable } from "node:stream";

/** Passes on complete lines, several at once, so that texts of several streams do not mix. */
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
