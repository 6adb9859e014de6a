import { randomUUID } from "node:crypto";
import { constants, createReadStream, type Stats } from "node:fs";
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { HttpError } from "../../../errors.ts";
import {
  type ByteRange,
  fileStoreFullError,
  fileStoreTimeoutSeconds,
  fileStoreUnreachableError,
} from "../file-store.ts";
import { isFileStoreKey } from "../keys.ts";

export function subpathOf(key: string): string {
  if (!isFileStoreKey(key)) throw new Error("not a key of the file store");
  const [prefix = "", name = ""] = key.split("/");
  return path.join(prefix, name.slice(0, 2), name);
}

export const subpathOfPart = (multipartId: string, number: number | string): string =>
  path.join("parts", multipartId, String(number));

/** A URL's subpath is a key, or a key with multipart id and part number. */
export function urlSubpathToDiskSubpath(subpath: string): string {
  const [, key = subpath, multipartId, number] = /^(.+)\/([0-9a-f]{32})\/(\d{1,5})$/.exec(subpath) ?? [];
  return multipartId && number && isFileStoreKey(key)
    ? subpathOfPart(multipartId, number)
    : subpathOf(subpath);
}

/**
 * Translates the file system's errors; throws "unavailable" after the timeout. `letGo` releases a late
 * result.
 */
export async function withFileTimeout<T>(
  work: Promise<T>,
  letGo: (late: T) => unknown = () => {},
): Promise<T> {
  const { promise: tooLong, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    work.then(letGo, () => {});
    reject(fileStoreUnreachableError());
  }, fileStoreTimeoutSeconds * 1000);
  try {
    return await Promise.race([work, tooLong]);
  } catch (error) {
    throw toFileStoreError(error);
  } finally {
    clearTimeout(timer);
  }
}

export function toFileStoreError(error: unknown): unknown {
  if (error instanceof HttpError) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  return ["ENOSPC", "EDQUOT", "EFBIG"].includes(code)
    ? fileStoreFullError(error)
    : fileStoreUnreachableError(error);
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && "syscall" in error ? String(error.code) : undefined;

/** Also of a translated error. */
const isMissing = (error: unknown): boolean =>
  codeOf(error instanceof HttpError ? error.cause : error) === "ENOENT";

export const undefinedIfFileMissing = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error) => {
    if (isMissing(error)) return undefined;
    throw error;
  });

/** Writes atomically, if the body has the announced size. Returns the difference in bytes; 0 when written. */
export async function writeFileIfSizeMatches(
  folder: string,
  subpath: string,
  body: Readable,
  size: number,
): Promise<number> {
  const temporary = path.join(folder, "incoming", randomUUID());
  await withFileTimeout(mkdir(path.dirname(temporary), { recursive: true }));
  const handle = await withFileTimeout(open(temporary, "wx", 0o640), (late) => late.close());
  let length = 0;
  try {
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          length += chunk.length;
          if (length > size) return;
          yield chunk;
        }
      },
      handle.createWriteStream({ flush: true }),
    );
    if (length !== size) return length - size;
    await withFileTimeout(moveTo(temporary, path.join(folder, subpath)));
    return 0;
  } catch (error) {
    throw toFileStoreError(error);
  } finally {
    await rm(temporary, { force: true }).catch(() => {}); // A leftover temporary file is swept later.
  }
}

async function moveTo(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  await rename(from, to);
}

/** Copies if links are unsupported; false if the file does not exist. */
export async function linkOrCopyFile(from: string, to: string): Promise<boolean> {
  await mkdir(path.dirname(to), { recursive: true });
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    if (!["EPERM", "ENOTSUP", "EXDEV", "EMLINK", "ENOSYS"].includes(codeOf(error) ?? "")) throw error;
  }
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  return true;
}

/** Concatenates files. The parts remain. */
export async function concatenateFiles(
  folder: string,
  subpaths: readonly string[],
  to: string,
): Promise<void> {
  const sizes = await Promise.all(subpaths.map((subpath) => stat(path.join(folder, subpath))));
  const size = sizes.reduce((sum, one) => sum + one.size, 0);
  const chunks = async function* () {
    for (const subpath of subpaths) yield* createReadStream(path.join(folder, subpath));
  };
  await writeFileIfSizeMatches(folder, to, Readable.from(chunks()), size);
}

export async function readFileRange(file: string, range?: ByteRange): Promise<Readable | undefined> {
  if (range && range.end <= range.start) return Readable.from([]);
  const handle = await undefinedIfFileMissing(open(file, "r"));
  return handle?.createReadStream(range && { start: range.start, end: range.end - 1 });
}

/** Excludes files deleted while listing. */
export async function* walkFiles(folder: string): AsyncGenerator<{ file: string; stats: Stats }> {
  const entries =
    (await withFileTimeout(undefinedIfFileMissing(readdir(folder, { withFileTypes: true })))) ?? [];
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* walkFiles(file);
    else {
      const stats = await withFileTimeout(undefinedIfFileMissing(stat(file)));
      if (stats) yield { file, stats };
    }
  }
}
