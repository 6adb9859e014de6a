import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Config } from "../../../lib/config.ts";
import { chooseFileStore } from "../../../lib/platform/file-store/choose-file-store.ts";
import type { FileStore } from "../../../lib/platform/file-store/file-store.ts";
import { subpathOf, writeFileIfSizeMatches } from "../../../lib/platform/file-store/folder/files.ts";
import { newObjectKey, newUploadKey } from "../../../lib/platform/file-store/keys.ts";
import { resolveFileStoreSetting } from "../../../lib/platform/file-store/setting.ts";
import { timeoutMs } from "./connection.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";

const content = "doctor";
const announced = { size: content.length, mediaType: "text/plain" };

/**
 * Checks uploading, taking, reading and deleting a file, also from the frontend's origin. Leaves no file
 * behind.
 */
export async function checkFileStore(config: Config): Promise<Finding[]> {
  const setting = resolveFileStoreSetting(config);
  if (!setting)
    return [
      advice(
        "no file store is configured, so uploads return 503",
        "set FILE_STORE, as described in docs/operations.md; functions on AWS use the bucket of the template",
      ),
    ];
  const store = chooseFileStore(config, () => new Date());
  const keys = { sent: newUploadKey(), taken: newObjectKey() };
  try {
    const found =
      setting.kind === "folder"
        ? await sendToFolder(setting.path, keys.sent)
        : await sendToBucket(store, keys.sent, originOf(config));
    return [...found, await takeAndRead(store, keys)];
  } catch (error) {
    return [
      wrong(
        `the file store ${store.name} does not work correctly: ${reasonOf(error)}`,
        setting.kind === "folder"
          ? "check FILE_STORE, the write permission of that folder, and the free space of its disk"
          : "check FILE_STORE, the keys (AWS_ACCESS_KEY_ID, or this machine's role), and their permissions there",
      ),
    ];
  } finally {
    await store.remove([keys.sent, keys.taken]).catch(() => {}); // Reported above.
  }
}

async function sendToFolder(folder: string, key: string): Promise<Finding[]> {
  await writeFileIfSizeMatches(folder, subpathOf(key), Readable.from([Buffer.from(content)]), content.length);
  return [];
}

/** Uploads like a browser: by signed URL, from a frontend page. */
async function sendToBucket(store: FileStore, key: string, origin: string | undefined): Promise<Finding[]> {
  const addressing = { expiresInSeconds: 60, publicUrl: "" };
  const { url, method, headers } = await store.signUpload(key, announced, addressing);
  const signal = AbortSignal.timeout(timeoutMs);
  const sent = await fetch(url, { method, headers, body: content, signal });
  if (!sent.ok) throw new Error(`it rejects an upload to a signed URL, HTTP ${sent.status}`);
  if (!origin) return [];
  const asked = await fetch(url, {
    method: "OPTIONS",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "PUT",
      "Access-Control-Request-Headers": "content-type",
    },
    signal,
  });
  const allowed = asked.headers.get("access-control-allow-origin");
  if (asked.ok && (allowed === "*" || allowed === origin))
    return [ok(`pages of ${origin} can use the file store`)];
  return [
    wrong(
      `pages of ${origin} cannot upload to the file store: it has no CORS rule for them`,
      "set the bucket's CORS as in docs/operations.md: GET, HEAD and PUT, any header, that origin or *",
    ),
  ];
}

/** Performs the service's operations, including deletion. */
async function takeAndRead(
  store: FileStore,
  { sent, taken }: { sent: string; taken: string },
): Promise<Finding> {
  const size = await store.take(sent, taken);
  const stream = await store.read(taken);
  const read = stream && (await buffer(stream)).toString();
  if (size !== content.length || read !== content) throw new Error("it returns other bytes than it was sent");
  await store.remove([sent, taken]);
  if ((await store.sizeOf(taken)) !== undefined) throw new Error("it does not remove files");
  await store.dropParts(await store.beginParts(sent, announced));
  for await (const _ of store.list("uploads/")) break;
  return ok(`the file store ${store.name} stores, returns and removes files`);
}

/** Origin of pages that upload files. */
function originOf({ BACKEND_CORS_ORIGINS, FRONTEND_URL, PUBLIC_URL }: Config): string | undefined {
  const [named] = BACKEND_CORS_ORIGINS.filter((origin) => origin !== "*");
  const page = FRONTEND_URL ?? PUBLIC_URL;
  return named ?? (page && new URL(page).origin);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message || cause.name})` : message;
}
