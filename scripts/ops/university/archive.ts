import { createReadStream } from "node:fs";
import { appendFile, mkdir, readFile, rename, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { createGunzip, gzip } from "node:zlib";

/** State of one file: its rows, the bytes and id written so far, and the range of ids. */
export type Part = {
  rows: number;
  bytes: number;
  doneTo: number;
  least: number;
  greatest: number;
  isWhole: boolean;
};

/** The manifest of a folder, rewritten after each batch, so an interrupted export can resume. */
export type Manifest = {
  format: 1;
  export_id: string;
  short_code: string;
  university_id: number;
  /** The database's last migration, which must be equal in both deployments. */
  migration: string;
  begun_at: string;
  /** The midnight up to which days are counted for reports. */
  counted_until: string;
  parts: Record<string, Part>;
  is_whole: boolean;
};

const compress = promisify(gzip);
const manifestIn = (folder: string) => path.join(folder, "manifest.json");
const fileOf = (folder: string, name: string) => path.join(folder, `${name}.jsonl.gz`);

export const emptyPart = (): Part => ({
  rows: 0,
  bytes: 0,
  doneTo: 0,
  least: 0,
  greatest: 0,
  isWhole: false,
});

export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(manifestIn(folder), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  return text === undefined ? undefined : (JSON.parse(text) as Manifest);
}

/** Writes atomically; the folder is readable only by this user. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${manifestIn(folder)}.part`;
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, manifestIn(folder));
}

/** Writes lines after the part's known bytes, over leftovers of an interrupted export. */
export async function appendLines(
  folder: string,
  name: string,
  part: Part,
  lines: readonly string[],
): Promise<void> {
  const file = fileOf(folder, name);
  const members = await compress(lines.map((line) => `${line}\n`).join(""));
  if (part.bytes === 0) await writeFile(file, "", { mode: 0o600 });
  else await truncate(file, part.bytes);
  await appendFile(file, members);
  part.bytes += members.length;
  part.rows += lines.length;
}

/**
 * A part's lines in batches of `size`, after `skipped`; one batch is in memory. Ignores bytes beyond the
 * manifest's.
 */
export async function* batchesOf(
  folder: string,
  { parts }: Pick<Manifest, "parts">,
  name: string,
  { size, skipped = 0 }: { size: number; skipped?: number },
): AsyncGenerator<string[]> {
  const bytes = parts[name]?.bytes ?? 0;
  if (bytes === 0) return;
  const file = createReadStream(fileOf(folder, name), { end: bytes - 1 });
  const lines = createInterface({ input: file.pipe(createGunzip()) });
  let batch: string[] = [];
  let at = 0;
  for await (const line of lines) {
    at += 1;
    if (at <= skipped) continue;
    batch.push(line);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
