import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ensureLogFilesWritable, openLogFiles } from "../../../../lib/platform/logging/log-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "log-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

const line = (number: number) => `${String(number).padStart(99, ".")}\n`;

async function writeLines(numbers: number[], backups: number): Promise<void> {
  const files = openLogFiles({
    LOG_DIR: path.join(folder, "logs"),
    LOG_FILE_MAX_BYTES: 1024,
    LOG_FILE_BACKUP_COUNT: backups,
  });
  for (const number of numbers) files.write(line(number));
  await files.close();
}

const filesOf = async () => (await readdir(path.join(folder, "logs"))).sort();

const numbersUpTo = (count: number) => Array.from({ length: count }, (_, number) => number);

it("log files rotate at their size, the newest lines in service.log, up to the configured number", async () => {
  for (let at = 0; at < 60; at += 10)
    await writeLines(
      numbersUpTo(10).map((number) => at + number),
      2,
    );
  expect(await filesOf()).toEqual(["service.log", "service.log.1", "service.log.2"]);
  for (const file of await filesOf())
    expect((await stat(path.join(folder, "logs", file))).size).toBeLessThan(3 * 1024);
  const kept = await Promise.all(
    ["service.log.2", "service.log.1", "service.log"].map((file) =>
      readFile(path.join(folder, "logs", file), "utf8"),
    ),
  );
  const numbers = kept.join("").match(/\d+/g)?.map(Number) ?? [];
  expect(numbers).toEqual(numbersUpTo(60).slice(-numbers.length));
});

it("a restart continues at the end of the file", async () => {
  await writeLines([1], 3);
  await writeLines([2], 3);
  expect(await readFile(path.join(folder, "logs/service.log"), "utf8")).toBe(line(1) + line(2));
});

it("without backups the one file grows", async () => {
  await writeLines(numbersUpTo(30), 0);
  expect(await filesOf()).toEqual(["service.log"]);
});

it("an unwritable place is rejected with the setting to change, unless no files are requested", async () => {
  const check = (LOG_DIR: string, LOG_FILE_ENABLED = true) =>
    ensureLogFilesWritable({ LOG_DIR, LOG_FILE_ENABLED });
  const refusal =
    /^Cannot write logs to .*service\.log \(\w+\): set LOG_DIR to .*, or LOG_FILE_ENABLED=false$/;
  await check(path.join(folder, "made", "anew"));
  await writeFile(path.join(folder, "file"), "");
  await mkdir(path.join(folder, "taken/service.log"), { recursive: true });
  for (const given of [path.join(folder, "file"), path.join(folder, "taken"), "/proc/logs/of/ours"]) {
    await expect(check(given)).rejects.toThrow(refusal);
    await check(given, false);
  }
});

it("unwritable log files are written again once possible, and both are reported", async () => {
  const LOG_DIR = path.join(folder, "logs");
  const told: [object, string][] = [];
  const files = openLogFiles(
    { LOG_DIR, LOG_FILE_MAX_BYTES: 10_000, LOG_FILE_BACKUP_COUNT: 1 },
    (fields, message) => told.push([fields, message]),
    20,
  );
  files.write(line(1));
  await expect.poll(() => readFile(path.join(LOG_DIR, "service.log"), "utf8").catch(() => "")).toBe(line(1));

  const full = vi.spyOn(await methodsOfFiles(), "write").mockImplementation(async () => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  files.write(line(2));
  await expect.poll(() => told).toHaveLength(1);
  expect(told[0]).toEqual([
    { reason: "ENOSPC: no space left on device, write" },
    "the log files cannot be written, so lines are lost",
  ]);
  files.write(line(3));
  await expect.poll(() => full.mock.calls.length).toBeGreaterThan(3);
  expect(told).toHaveLength(1);
  full.mockRestore();
  await expect.poll(() => told[1]).toEqual([{ missing: 1 }, "the log files can be written again"]);
  files.write(line(4));
  await files.close();
  const kept = await readFile(path.join(LOG_DIR, "service.log"), "utf8");
  expect(kept.split("\n").filter(Boolean)).toEqual([line(1), line(4)].map((one) => one.trimEnd()));
});

/** The prototype of open files, with their methods. */
async function methodsOfFiles(): Promise<{ write: () => Promise<unknown> }> {
  await using opened = await open(path.join(folder, "any"), "w");
  return Object.getPrototypeOf(opened);
}
