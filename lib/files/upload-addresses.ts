import type { FileUpload } from "../../schema/api/files/files.ts";
import type { FileStore, SignedUrlOptions } from "../platform/file-store/file-store.ts";
import type { FileRow } from "./stored-file.ts";

/** Enough for a slow connection; reading the file signs new URLs. */
const expiresInSeconds = 3600;

/** An incomplete upload expires then, even if no part is left to send. */
const goesAt = (promisedAt: string): string =>
  new Date(Date.parse(promisedAt) + 24 * 3600 * 1000).toISOString();

/** Null if the PENDING file is complete. */
export async function createUploadUrls(
  store: FileStore,
  { upload_key: key, multipart_id, part_size, size, media_type, created_at }: FileRow,
  publicUrl: string,
): Promise<FileUpload | null> {
  if (key === null) return null;
  const addressing: SignedUrlOptions = { expiresInSeconds, publicUrl };
  if (part_size === null) return store.signUpload(key, { size, mediaType: media_type }, addressing);
  if (multipart_id === null) return null;
  const parts = await store.signParts(
    { key, multipartId: multipart_id, size, partSize: part_size },
    addressing,
  );
  const first = parts?.find(({ upload }) => upload)?.upload;
  if (!parts) return null;
  return {
    method: "PUT",
    url: null,
    headers: {},
    expires_at: first?.expires_at ?? goesAt(created_at),
    parts: parts.map(({ number, size, upload }) => ({
      number,
      offset: (number - 1) * part_size,
      size,
      url: upload?.url ?? null,
      headers: upload?.headers ?? {},
    })),
  };
}
