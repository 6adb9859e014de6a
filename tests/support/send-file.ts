import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Deps } from "../../lib/deps.ts";
import { subpathOf } from "../../lib/platform/file-store/folder/files.ts";
import { storedFilesUrlPath } from "../../lib/platform/file-store/folder/signed-urls.ts";
import { resolveFileStoreSetting } from "../../lib/platform/file-store/setting.ts";
import type { Client } from "./client.ts";

/** Writes bytes to a folder URL's file, as its server would. */
export async function putBytes(
  { config }: Pick<Deps, "config">,
  url: string,
  bytes: Uint8Array,
): Promise<void> {
  const setting = resolveFileStoreSetting(config);
  if (setting?.kind !== "folder") throw new Error("the tests keep files in a folder");
  const subpath = new URL(url).pathname.split(`${storedFilesUrlPath}/`)[1] ?? "";
  const file = path.join(setting.path, subpathOfUpload(subpath));
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
}

/** For a part its folder and number, otherwise the file's key. */
function subpathOfUpload(subpath: string): string {
  const [, multipartId, number] = /\/([0-9a-f]{32})\/(\d+)$/.exec(subpath) ?? [];
  return multipartId && number ? path.join("parts", multipartId, number) : subpathOf(subpath);
}

type Fields = { purpose: string } & Record<string, unknown>;

/** Uploads and completes a file with that purpose and scope. Returns the response. */
export async function sendFile(
  deps: Pick<Deps, "config">,
  client: Client,
  fields: Fields,
  bytes: Uint8Array = new TextEncoder().encode("They interfere."),
) {
  const { body: file, status } = await client.post("/files/", {
    name: "notes.txt",
    media_type: "text/plain",
    size: bytes.length,
    ...fields,
  });
  if (status !== 201) throw new Error(`a file was not promised: ${status} ${JSON.stringify(file)}`);
  for (const { url, offset, size } of file.upload.parts ?? [])
    await putBytes(deps, url, bytes.subarray(offset, offset + size));
  if (file.upload.url) await putBytes(deps, file.upload.url, bytes);
  return client.post(`/files/${file.id}/complete`, {});
}

export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
