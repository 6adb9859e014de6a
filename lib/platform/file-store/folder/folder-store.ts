import { randomBytes } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import type { EncryptionSecrets } from "../../secrets/encryption.ts";
import {
  choosePartSize,
  type DeclaredUpload,
  type FileStore,
  listUploadPartSizes,
  type SignedRequest,
  type SignedUrlOptions,
  type StartedMultipartUpload,
  type UploadPart,
} from "../file-store.ts";
import {
  concatenateFiles,
  linkOrCopyFile,
  readFileRange,
  subpathOf,
  subpathOfPart,
  undefinedIfFileMissing,
  walkFiles,
  withFileTimeout,
  writeFileIfSizeMatches,
} from "./files.ts";
import { signFileUrl } from "./signed-urls.ts";

const partsFolder = (multipartId: string): string => path.join("parts", multipartId);

/**
 * Machines with the same SECRET_KEY may share the folder and its signed URLs, below `/stored`
 * (server/stored-files.ts).
 */
export function folderStore(given: string, secrets: EncryptionSecrets, now: () => Date): FileStore {
  const folder = path.resolve(given);
  const at = (subpath: string) => path.join(folder, subpath);

  const signed = (
    grant: Parameters<typeof signFileUrl>[1],
    { expiresInSeconds, publicUrl }: SignedUrlOptions,
  ) => {
    const expires = Math.floor(now().getTime() / 1000) + expiresInSeconds;
    const url = publicUrl + signFileUrl(secrets.SECRET_KEY, grant, expires);
    return { url, expires_at: new Date(expires * 1000).toISOString() };
  };

  const signPut = (
    subpath: string,
    { size, mediaType }: DeclaredUpload,
    addressing: SignedUrlOptions,
  ): SignedRequest => ({
    method: "PUT",
    ...signed({ method: "PUT", subpath, parameters: { size: String(size), type: mediaType } }, addressing),
    headers: { "Content-Type": mediaType },
  });

  const partsOfUpload = async (upload: StartedMultipartUpload): Promise<UploadPart[]> => {
    const names = (await undefinedIfFileMissing(readdir(at(partsFolder(upload.multipartId))))) ?? [];
    return listUploadPartSizes(upload).map((part) => ({
      ...part,
      is_there: names.includes(String(part.number)),
    }));
  };

  const sizeAt = async (key: string) => (await undefinedIfFileMissing(stat(at(subpathOf(key)))))?.size;

  return {
    name: `folder:${folder}`,
    signUpload: async (key, announced, addressing) => signPut(key, announced, addressing),
    beginParts: async (key, { size }) => ({
      ...{ key, size, partSize: choosePartSize(size) },
      multipartId: randomBytes(16).toString("hex"),
    }),
    async signParts(upload, addressing) {
      const parts = await withFileTimeout(partsOfUpload(upload));
      if (!parts.some((part) => part.is_there) && (await withFileTimeout(sizeAt(upload.key))) !== undefined)
        return undefined;
      return parts.map((part) => ({
        ...part,
        upload: part.is_there
          ? null
          : signPut(
              `${upload.key}/${upload.multipartId}/${part.number}`,
              { size: part.size, mediaType: "application/octet-stream" },
              addressing,
            ),
      }));
    },
    async joinParts(upload) {
      if ((await withFileTimeout(sizeAt(upload.key))) !== undefined) return { missing: [] };
      const parts = await withFileTimeout(partsOfUpload(upload));
      const missing = parts.filter((part) => !part.is_there).map(({ number }) => number);
      if (missing.length > 0) return { missing };
      const subpaths = parts.map(({ number }) => subpathOfPart(upload.multipartId, number));
      const joined = await undefinedIfFileMissing(
        concatenateFiles(folder, subpaths, subpathOf(upload.key)).then(() => true),
      );
      // A concurrent request has joined and removed them.
      if (!joined) return this.joinParts(upload);
      await this.dropParts(upload);
      return { missing: [] };
    },
    dropParts: ({ multipartId }) =>
      withFileTimeout(rm(at(partsFolder(multipartId)), { recursive: true, force: true })),
    sizeOf: (key) => withFileTimeout(sizeAt(key)),
    async take(from, to) {
      const isTaken = await withFileTimeout(linkOrCopyFile(at(subpathOf(from)), at(subpathOf(to))));
      return isTaken ? this.sizeOf(to) : undefined;
    },
    async write(key, bytes) {
      await writeFileIfSizeMatches(folder, subpathOf(key), Readable.from([Buffer.from(bytes)]), bytes.length);
    },
    async writeStream(key, chunks, { size }) {
      const difference = await writeFileIfSizeMatches(folder, subpathOf(key), Readable.from(chunks), size);
      if (difference !== 0) throw new Error(`a stream of ${size} bytes had ${difference} more`);
    },
    read: (key, range) =>
      withFileTimeout(readFileRange(at(subpathOf(key)), range), (late) => late?.destroy()),
    async signDownload(key, { name, mediaType, inline, sha256, ...addressing }) {
      const parameters = {
        ...{ name, type: mediaType, ...(inline && { inline: "1" }), ...(sha256 && { etag: sha256 }) },
      };
      return signed({ method: "GET", subpath: key, parameters }, addressing).url;
    },
    async remove(keys) {
      for (const key of keys) await withFileTimeout(rm(at(subpathOf(key)), { force: true }));
    },
    async *list(prefix) {
      for await (const { file, stats } of walkFiles(at(prefix)))
        yield { key: prefix + path.basename(file), size: stats.size, modified_at: stats.mtime };
    },
    async sweepUploads(before) {
      let swept = 0;
      for (const subpath of ["uploads", "parts", "incoming"])
        for await (const { file, stats } of walkFiles(at(subpath))) {
          if (stats.mtime >= before) continue;
          await withFileTimeout(rm(file, { force: true }));
          swept += 1;
        }
      return swept;
    },
  };
}
