import { appendFile, chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { buildApp, CannotBuild } from "../../app/build.ts";
import { startLocalPostgres, stopAbandonedPostgres } from "../../scripts/dev/postgres.ts";
import { isRunning } from "../../scripts/dev/postgres-folder.ts";
import { startNeonProxyStandIn } from "./neon-proxy-stand-in.ts";
import { offerPackage } from "./packaged-service.ts";
import { pgbouncer, startPgbouncer } from "./pgbouncer.ts";
import { prepareCluster } from "./prepared-cluster.ts";
import { scratchFolder } from "./scratch-folder.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A migrated database without connections, which tests clone. */
    templateUrl: string;
    /** `host:port` of the Neon proxy stand-in. */
    neonProxy: string;
    /** Address at which `packagedService` requests the package shared by the run's files. */
    packageOffer: string;
    /** The driver that this project's tests use. */
    driver: "pg" | "neon" | "pooled";
    /** Whether generated suites send all requests, as in `npm run test:all`. */
    exhaustive: boolean;
    /** The same database through PgBouncer, if tests use it. */
    pooledUrl: string | undefined;
  }
}

/** Followed by the process id of the run. */
const prefix = "learning-platform-tests-";

/**
 * Runs before the tests of each project with a database. The first starts PostgreSQL for all, with a migrated
 * template, and the Neon stand-in.
 */
export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (vitest.getRootProject().getProvidedContext().templateUrl) return undefined;
  await buildApp().catch(sayWhatToDo);
  await removeAbandoned();
  const folder = await mkdtemp(path.join(scratchFolder, `${prefix}${process.pid}-`));
  // If the tests run as root, PostgreSQL runs as another user, who needs access.
  await chmod(folder, 0o755);
  const dataDir = path.join(folder, "data");
  await prepareCluster(dataDir);
  await wantScramOf(dataDir, "scram_");
  await planOnce(dataDir);
  const postgres = await startLocalPostgres({ dataDir, durable: false });
  const neonProxy = await startNeonProxyStandIn(postgres.port);
  vitest.provide("templateUrl", postgres.url);
  vitest.provide("neonProxy", neonProxy.address);
  const offer = await offerPackage(folder);
  vitest.provide("packageOffer", offer.address);
  vitest.onTestsRerun(() => offer.forget());
  const isPooled = vitest.projects.some(({ name }) => name === "api-pooled");
  if (isPooled && !pgbouncer)
    throw new Error("The project api-pooled wants PgBouncer: apt-get install pgbouncer");
  const pooler = isPooled && pgbouncer ? await startPgbouncer(pgbouncer, postgres.url) : undefined;
  vitest.provide("pooledUrl", pooler?.through(postgres.url));
  return async () => {
    offer.close();
    await pooler?.stop();
    await neonProxy.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Requires SCRAM for roles with this prefix. Others send their password. */
async function wantScramOf(dataDir: string, prefix: string): Promise<void> {
  const file = path.join(dataDir, "pg_hba.conf");
  const rules = await readFile(file, "utf8");
  await writeFile(file, `host all "/^${prefix}" 127.0.0.1/32 scram-sha-256\n${rules}`);
}

/**
 * Reuses a statement's plan within a session from its first call. PostgreSQL would replan the first few, and
 * planning is a third of its work in tests. `planByValues` restores the default for one database.
 */
async function planOnce(dataDir: string): Promise<void> {
  await appendFile(path.join(dataDir, "postgresql.conf"), "plan_cache_mode = force_generic_plan\n");
}

/** Exits before anything starts, without vitest's stack trace. */
function sayWhatToDo(error: unknown): never {
  if (!(error instanceof CannotBuild)) throw error;
  console.error(error.message);
  process.exit(1);
}

/** The server of a killed run is still running. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(scratchFolder)) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue;
    const folder = path.join(scratchFolder, name);
    await stopAbandonedPostgres(path.join(folder, "data"));
    await rm(folder, { recursive: true, force: true });
  }
}
