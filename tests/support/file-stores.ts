import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig } from "../../lib/config.ts";
import { createShutdownTracker } from "../../lib/platform/async/lifecycle.ts";
import { chooseFileStore } from "../../lib/platform/file-store/choose-file-store.ts";
import type { FileStore, SignedRequest } from "../../lib/platform/file-store/file-store.ts";
import { createLog } from "../../lib/platform/logging/log.ts";
import { noMetrics } from "../../lib/platform/metrics/metrics.ts";
import { storedFiles } from "../../server/stored-files/serve.ts";
import { createPatientServer } from "./patient-server.ts";
import { startS3StandIn, type Trouble } from "./s3-stand-in.ts";

export type OpenStore = {
  store: FileStore;
  /** The base URL of a folder store; unused for a bucket. */
  publicUrl: string;
  /** Backdates the upload of a key. Undefined if the store does not support it. */
  age?: (key: string, milliseconds: number) => Promise<void>;
  setTrouble(trouble: Trouble): Promise<void>;
  /** Log lines of its server. */
  lines: Record<string, unknown>[];
  close(): Promise<void>;
};

export const settingsOfTests = {
  ENVIRONMENT: "development",
  SECRET_KEY: "a secret of the tests, long enough for HS256",
  DATABASE_URL: "postgresql://nobody@localhost/nothing",
  LLM_PROVIDER: "direct_api",
  DIRECT_API_KEY: "key",
};

/** A server that only serves a folder store. */
export async function serveFolder(folder: string, now = () => new Date(), settings = {}) {
  const config = loadConfig({ ...settingsOfTests, FILE_STORE: `folder:${folder}`, ...settings });
  const fileStore = chooseFileStore(config, now);
  const lines: Record<string, unknown>[] = [];
  const log = createLog(config, { write: (line) => lines.push(JSON.parse(line)) });
  const metrics = { ...noMetrics, report: async () => {} };
  const served = await serveStored({
    config,
    fileStore,
    now,
    log,
    lifecycle: createShutdownTracker(),
    metrics,
  });
  return { ...served, store: fileStore, lines };
}

/**
 * Serves a world's folder store. Its operations return URLs at the request's host: `send` uploads to the same
 * URL here, `get` downloads.
 */
export async function serveStored(deps: Parameters<typeof storedFiles>[0]) {
  const serve = storedFiles(deps);
  const server = createPatientServer((incoming, outgoing) => {
    if (!serve?.(incoming, outgoing)) outgoing.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const here = (url: string) => publicUrl + url.slice(url.indexOf("/stored/"));
  return {
    publicUrl,
    send: ({ method, url, headers }: SignedRequest, body: string | Uint8Array) =>
      fetch(here(url), { method, headers, body: Buffer.from(body) }),
    get: (url: string, init?: RequestInit) => fetch(here(url), init),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openFolder(): Promise<OpenStore> {
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-store-"));
  const root = path.join(folder, "files");
  const served = await serveFolder(root);
  return {
    ...served,
    async age(key, milliseconds) {
      const [prefix = "", name = ""] = key.split("/");
      const then = new Date(Date.now() - milliseconds);
      await utimes(path.join(root, prefix, name.slice(0, 2), name), then, then);
    },
    async setTrouble(trouble) {
      await rm(root, { recursive: true, force: true });
      // The folder is a file, so all file operations fail.
      if (trouble === "away") await writeFile(root, "");
    },
    async close() {
      await served.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openStandIn(): Promise<OpenStore> {
  const standIn = await startS3StandIn();
  const config = loadConfig({ ...settingsOfTests, FILE_STORE: standIn.setting });
  return {
    store: chooseFileStore(config, () => new Date()),
    publicUrl: "",
    lines: [],
    async age(key, milliseconds) {
      const at = new Date(Date.now() - milliseconds);
      const upload = [...standIn.uploads.values()].find((one) => one.key === key);
      Object.assign(upload ?? standIn.objects.get(key) ?? {}, { at });
    },
    setTrouble: async (trouble) => standIn.setTrouble(trouble),
    close: standIn.close,
  };
}

/** An external store, given by `npm run interop files`. */
function openGiven(setting: string): OpenStore {
  const config = loadConfig({ ...settingsOfTests, FILE_STORE: setting });
  return {
    store: chooseFileStore(config, () => new Date()),
    publicUrl: "",
    lines: [],
    setTrouble: async () => {},
    close: async () => {},
  };
}

const given = process.env["FILE_STORE_UNDER_TEST"] ?? "";

/** External stores have their own clock. */
export const isOfOthers = given !== "";

type Known = { open(): Promise<OpenStore>; troubles: readonly Exclude<Trouble, undefined>[] };

/** The stores under test by name, with the outages that each can simulate. */
export const knownStores: Record<string, Known> = isOfOthers
  ? { [given]: { open: async () => openGiven(given), troubles: [] } }
  : {
      "a folder": { open: openFolder, troubles: ["away"] },
      "an S3 stand-in of our own": { open: openStandIn, troubles: ["away", "slow", "full"] },
    };
