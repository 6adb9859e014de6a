import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { readWideIntegers } from "../../lib/db/driver/wide-integers.ts";
import { keepSessions } from "./kept-sessions.ts";

// As the service reads them, whichever file of the tests comes first.
readWideIntegers(pg.types);

export type Row = Record<string, unknown>;

export type TestDatabase = {
  url: string;
  /** Runs statements in a session that is like a new one; the rows of the last one. */
  run(statement: string): Promise<Row[]>;
  drop(): Promise<void>;
};

/** A copy of the migrated template, in some 20 ms. `drop` also ends the connections that are still open. */
export async function cloneDatabase(): Promise<TestDatabase> {
  return copyDatabase(inject("templateUrl"));
}

/** A copy of a database that nobody is connected to. */
export async function copyDatabase(url: string): Promise<TestDatabase> {
  return createDatabase(`template ${new URL(url).pathname.slice(1)} strategy file_copy`);
}

/**
 * Lets what is planned for one call serve the next ones of a session: in a test few are many enough for PostgreSQL to do so
 * by itself, and planning is a third of what it does there. For tests that look at answers, not at plans.
 */
export async function planOnce({ url }: TestDatabase): Promise<void> {
  await administer(
    `alter database ${new URL(url).pathname.slice(1)} set plan_cache_mode = force_generic_plan`,
  );
}

/** A database with nothing in it. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase("template template0");
}

/** The address by which the service reaches a database: past nothing, or through a pooler where the tests do. */
export function servedUrl({ url }: TestDatabase): string {
  const pooled = inject("driver") === "pooled" && inject("pooledUrl");
  return pooled ? Object.assign(new URL(url), { port: new URL(pooled).port }).href : url;
}

/** `host:port` of the stand-in for Neon's proxy where the tests reach the database as Neon is reached. */
export function neonProxyAddress(driver: string = inject("driver")): string | undefined {
  return driver === "neon" ? inject("neonProxy") : undefined;
}

let outside: ReturnType<typeof keepSessions> | undefined;

/** Runs one statement on the server, from outside of the databases that the tests use. */
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
