import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Hono } from "hono";
import { afterAll, beforeAll, inject } from "vitest";
import { allEndpointGroups } from "../../functions/groups.ts";
import { loadConfig } from "../../lib/config.ts";
import { createDeps, type Deps } from "../../lib/deps.ts";
import { createApp } from "../../lib/http/create-app.ts";
import { createLog } from "../../lib/platform/logging/log.ts";
import { serverParts } from "../../server/parts.ts";
import { type Client, clientOf, type Person } from "./client.ts";
import {
  cloneDatabase,
  neonProxyAddress,
  planByValues,
  requireNoQuestions,
  servedUrl,
  type TestDatabase,
} from "./database.ts";
import { type LlmStandIn, startLlmStandIn } from "./llm-stand-in.ts";
import { serveKeptRsaKeys } from "./rsa-keys.ts";
import { servedAsService } from "./service-role.ts";

/** The whole app on a separate database, with a fixed clock and a readable log. */
export type World = {
  deps: Deps & { close(): Promise<void> };
  app: Hono;
  llm: LlmStandIn;
  log: Record<string, unknown>[];
  /** Sets the clock to a fixed time. */
  setNow(moment: Date | string): void;
  /** Sends requests as a person, or anonymously. */
  as(person?: Person): Client;
};

type Settings = Record<string, string>;

type Options = { asService?: boolean; requiresQuestions?: boolean; database?: () => Promise<TestDatabase> };

serveKeptRsaKeys();

/**
 * Opens a world before a file's tests and closes it after them. Settings may be a function, called then.
 * `asService`: connects as a service account with only the required grants, not as owner. `requiresQuestions`:
 * the tutor's prompt stays as it is seeded, so shared answers need a question. `database`: another than a copy
 * of the migrated one.
 */
export function openWorld(
  settings: Settings | (() => Settings) = {},
  { asService = false, requiresQuestions = false, database = cloneDatabase }: Options = {},
): World {
  const world = {} as World;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const llm = await startLlmStandIn();
    const clone = await database();
    if (!requiresQuestions) await requireNoQuestions(clone);
    // Neon's driver plans statements with their values each time.
    if (inject("driver") === "neon") await planByValues(clone);
    const cloned = asService ? await servedAsService(clone) : clone;
    Object.assign(
      world,
      await build(servedUrl(cloned), llm, typeof settings === "function" ? settings() : settings, closing),
    );
    closing.push(
      () => cloned.drop(),
      () => llm.close(),
    );
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
  return world;
}

async function build(url: string, llm: LlmStandIn, settings: Settings, closing: (() => Promise<unknown>)[]) {
  const proxy = neonProxyAddress();
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-files-"));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const config = loadConfig({
    ENVIRONMENT: "development",
    SECRET_KEY: "a secret of the tests, long enough for HS256",
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: "10",
    ...(proxy && { NEON_LOCAL_PROXY: proxy }),
    BCRYPT_COST: "4",
    LLM_PROVIDER: "direct_api",
    DIRECT_API_KEY: "key-of-the-tests",
    DIRECT_API_MODEL: "model-of-the-tests",
    DIRECT_API_BASE_URL: llm.url,
    BACKEND_CORS_ORIGINS: "https://learn.example.edu",
    FILE_STORE: `folder:${folder}`,
    // The host of the tests' requests.
    ...(!settings["PUBLIC_URL"] && { PACKAGES_URL: "http://localhost" }),
    ...settings,
  });
  const log: Record<string, unknown>[] = [];
  let now = new Date("2026-03-10T12:00:00.000Z");
  const deps = await createDeps(config, {
    log: createLog(config, { write: (line) => log.push(JSON.parse(line)) }),
    now: () => now,
    parts: serverParts,
  });
  closing.push(() => deps.close());
  const app = createApp(deps, allEndpointGroups) as unknown as Hono;
  return {
    deps,
    app,
    llm,
    log,
    setNow: (moment: Date | string) => {
      now = new Date(moment);
    },
    as: (person?: Person) => clientOf(app, deps, person),
  };
}
