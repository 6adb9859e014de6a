import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
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
    /** A migrated database that nobody is connected to: what tests clone. */
    templateUrl: string;
    /** `host:port` of the stand-in for Neon's proxy. */
    neonProxy: string;
    /** Where `packagedService` asks for the package that the files of a run share. */
    packageOffer: string;
    /** Which driver the tests of this project go through. */
    driver: "pg" | "neon" | "pooled";
    /** Whether generated suites ask everything, as in `npm run test:all`. */
    exhaustive: boolean;
    /** Whether worlds keep a plan from its first use on, as `planOnce` says. */
    plansOnce: boolean;
    /** The same database through PgBouncer, where tests go through it. */
    pooledUrl: string | undefined;
  }
}

/** Followed by the process id of the run that a folder belongs to. */
const prefix = "learning-platform-tests-";

/**
 * Runs before the tests of each project that needs a database; the first of them starts it for all: a PostgreSQL in a
 * folder of its own, with a migrated template, and Neon's stand-in.
 */
export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (vitest.getRootProject().getProvidedContext().templateUrl) return undefined;
  await buildApp().catch(sayWhatToDo);
  await removeAbandoned();
  const folder = await mkdtemp(path.join(scratchFolder, `${prefix}${process.pid}-`));
  // PostgreSQL runs as another user when the tests run as root, and has to get in.
  await chmod(folder, 0o755);
  const dataDir = path.join(folder, "data");
  await prepareCluster(dataDir);
  await wantScramOf(dataDir, "scram_");
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

/** Has roles whose names begin so sign in by SCRAM; the others send their password. */
async function wantScramOf(dataDir: string, prefix: string): Promise<void> {
  const file = path.join(dataDir, "pg_hba.conf");
  const rules = await readFile(file, "utf8");
  await writeFile(file, `host all "/^${prefix}" 127.0.0.1/32 scram-sha-256\n${rules}`);
}

/** Before anything has been started, and without the trace that a run prints of what its setup throws. */
function sayWhatToDo(error: unknown): never {
  if (!(error instanceof CannotBuild)) throw error;
  console.error(error.message);
  process.exit(1);
}

/** A run that was killed could not clean up: its server still runs. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(scratchFolder)) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue;
    const folder = path.join(scratchFolder, name);
    await stopAbandonedPostgres(path.join(folder, "data"));
    await rm(folder, { recursive: true, force: true });
  }
}
