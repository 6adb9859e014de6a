import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { createBufferedLog } from "../../../../lib/platform/logging/buffered-log.ts";

/** Writes are read only once `read` is called. */
function unreadOutput() {
  const pieces: string[] = [];
  const { promise: reading, resolve: read } = Promise.withResolvers<void>();
  const output = new Writable({
    async write(piece, _, done) {
      await reading;
      pieces.push(String(piece));
      done();
    },
  });
  const lines = () =>
    pieces
      .join("")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { output, pieces, read, lines };
}

const settings = { LOG_LEVEL: "INFO", LOG_FORMAT: "json" } as const;

it("writes several lines at once, and all of them when it is flushed", async () => {
  const { output, pieces, read, lines } = unreadOutput();
  read();
  const { log, flush } = createBufferedLog(settings, output);
  for (let number = 0; number < 1000; number += 1) log.info({ number }, "line");
  await flush();
  expect(lines().map(({ number }) => number)).toEqual(Array.from({ length: 1000 }, (_, number) => number));
  expect(pieces.length).toBeLessThan(50);
  log.info({ number: 1000 }, "later");
  await expect.poll(() => lines().length).toBe(1001);
});

it("keeps lines until they are read, and counts those that it drops when 4 MB wait", async () => {
  const { output, read, lines } = unreadOutput();
  const { log } = createBufferedLog(settings, output);
  for (let number = 0; number < 12_000; number += 1) log.info({ number, text: "x".repeat(500) }, "line");
  read();
  await expect.poll(() => lines().at(-1)).toMatchObject({ level: "WARNING", dropped: expect.any(Number) });
  const numbers = lines().flatMap(({ number }) => number ?? []);
  expect(numbers).toEqual(Array.from(numbers.keys()));
  const { dropped } = lines().at(-1);
  expect(dropped).toBeGreaterThan(1000);
  expect(numbers.length + dropped).toBe(12_000);
});
