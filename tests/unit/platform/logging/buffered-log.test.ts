import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";

const source = JSON.stringify(import.meta.resolve("../../../../lib/platform/logging/log.ts"));

/** Another process: a log writes to its file descriptor as long as the process runs. */
const writer = `
import { createBufferedLog } from ${source};
const log = createBufferedLog({ LOG_LEVEL: "INFO", LOG_FORMAT: "json" });
for (let number = 0; number < 12000; number += 1) log.info({ number, text: "x".repeat(500) }, "line");
process.stderr.write("all are logged");
process.stdin.resume();
`;

it("keeps lines until they are read, and counts those that it drops when 4 MB wait", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", writer]);
  const ended = once(child, "close");
  expect(String(await once(child.stderr, "data"))).toBe("all are logged");
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text).toMatch(/log lines were dropped.*\n/);
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  const lines = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const numbers = lines.flatMap(({ number }) => number ?? []);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
  expect(dropped).toBeGreaterThan(1000);
  expect(numbers.length + dropped).toBe(12_000);
});
