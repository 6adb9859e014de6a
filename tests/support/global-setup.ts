import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { migrate } from "../../lib/db/migrate.ts";
import { startLocalPostgres, stopAbandonedPostgres } from "../../scripts/local/postgres.ts";
import { isRunning } from "../../scripts/local/postgres-folder.ts";
import { startNeonProxy } from "./neon-proxy.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A migrated database that nobody is connected to: what tests clone. */
    templateUrl: string;
    /** `host:port` of the stand-in for Neon's proxy. */
    neonProxy: string;
    /** Which driver the tests of this project go through. */
    driver: "pg" | "neon";
  }
}

/** Followed by the process id of the run that a folder belongs to. */
const prefix = "learning-platform-tests-";

/** Runs once before all tests: a PostgreSQL in a folder of its own, a migrated template, Neon's stand-in. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandoned();
  const folder = await mkdtemp(path.join(tmpdir(), `${prefix}${process.pid}-`));
  // PostgreSQL runs as another user when the tests run as root, and has to get in.
  await chmod(folder, 0o755);
  const postgres = await startLocalPostgres({ dataDir: path.join(folder, "data"), durable: false });
  await migrate(postgres.url);
  const neonProxy = await startNeonProxy(postgres.port);
  project.provide("templateUrl", postgres.url);
  project.provide("neonProxy", neonProxy.address);
  return async () => {
    await neonProxy.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** A run that was killed could not clean up: its server still runs. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue;
    const folder = path.join(tmpdir(), name);
    await stopAbandonedPostgres(path.join(folder, "data"));
    await rm(folder, { recursive: true, force: true });
  }
}
