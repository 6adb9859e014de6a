import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { createBufferedLog } from "../../../../lib/platform/logging/log.ts";

/** A file descriptor, and the socket at its other end, which nobody reads. */
async function openUnreadPipe() {
  const folder = await mkdtemp(path.join(tmpdir(), "buffered-log-"));
  const address = path.join(folder, "socket");
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const server = createServer({ pauseOnConnect: true }, resolve).listen(address);
  const writer = connect(address);
  const reader = await promise;
  const { fd } = (writer as unknown as { _handle: { fd: number } })._handle;
  const close = async () => {
    for (const end of [writer, reader, server]) "destroy" in end ? end.destroy() : end.close();
    await rm(folder, { recursive: true });
  };
  return { fd, reader, close };
}

it("keeps lines until they are read, and counts those that it drops when 4 MB wait", async () => {
  const { fd, reader, close } = await openUnreadPipe();
  const log = createBufferedLog({ LOG_LEVEL: "INFO", LOG_FORMAT: "json" }, fd);
  const all = 12_000;
  for (let number = 0; number < all; number += 1) log.info({ number, text: "x".repeat(500) }, "line");
  let text = "";
  reader.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  reader.resume();
  await expect.poll(() => text).toMatch(/log lines were dropped.*\n/);
  const lines = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const numbers = lines.flatMap(({ number }) => number ?? []);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
  expect(dropped).toBeGreaterThan(1000);
  expect(numbers.length + dropped).toBe(all);
  await close();
});
