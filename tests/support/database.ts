import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { registerWideIntegerParsers } from "../../lib/platform/db/driver/wide-integers.ts";
import { keepSessions } from "./kept-sessions.ts";

// Parses integers as the service does, regardless of the first test file.
registerWideIntegerParsers(pg.types);

export type Row = Record<string, unknown>;

export type TestDatabase = {
  url: string;
  /** Runs statements in a fresh session. Returns the rows of the last one. */
  run(statement: string): Promise<Row[]>;
  drop(): Promise<void>;
};

/** Copies the migrated template in some 20 ms. `drop` also ends open connections. */
export async function cloneDatabase(): Promise<TestDatabase> {
  return copyDatabase(inject("templateUrl"));
}

/** Copies a database that has no connections. */
export async function copyDatabase(url: string): Promise<TestDatabase> {
  return createDatabase(`template ${new URL(url).pathname.slice(1)} strategy file_copy`);
}

/** Plans as a deployment's database does, in new sessions. The tests' server plans each statement once. */
export async function planByValues({ url }: TestDatabase): Promise<void> {
  await administer(`alter database ${new URL(url).pathname.slice(1)} set plan_cache_mode = auto`);
}

/**
 * Most tests script answers without a question. The seeded prompt requires one, so their prompt names no block of
 * a question.
 */
export async function requireNoQuestions({ url }: Pick<TestDatabase, "url">): Promise<void> {
  // A kept session would prevent copies of the database.
  const sessions = keepSessions(url);
  await sessions.run("update prompts set prompt = replace(prompt, '```mcq', '```block')");
  await sessions.close();
}

export async function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase("template template0");
}

/** The service's database URL: direct, or through a pooler if the tests use one. */
export function servedUrl({ url }: TestDatabase): string {
  const pooled = inject("driver") === "pooled" && inject("pooledUrl");
  return pooled ? Object.assign(new URL(url), { port: new URL(pooled).port }).href : url;
}

/** `host:port` of the Neon proxy stand-in, if the tests use the neon driver. */
export function neonProxyAddress(driver: string = inject("driver")): string | undefined {
  return driver === "neon" ? inject("neonProxy") : undefined;
}

let outside: ReturnType<typeof keepSessions> | undefined;

/** Runs one statement on the server, outside the tests' databases. */
export async function administer(statement: string): Promise<void> {
  outside ??= keepSessions(urlOf("postgres"));
  await outside.run(statement);
}

async function createDatabase(origin: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await administer(`create database ${name} ${origin}`);
  const url = urlOf(name);
  const sessions = keepSessions(url);
  return {
    url,
    run: sessions.run,
    drop: async () => {
      await sessions.close();
      await administer(`drop database ${name} with (force)`);
    },
  };
}

function urlOf(database: string): string {
  return Object.assign(new URL(inject("templateUrl")), { pathname: `/${database}` }).href;
}
