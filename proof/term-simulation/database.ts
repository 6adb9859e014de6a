import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { migrate } from "../../lib/platform/db/migrations/migrate.ts";
import { startLocalPostgres } from "../../scripts/dev/postgres.ts";
import type { OpenDatabase } from "../../scripts/ops/database.ts";

/** A temporary PostgreSQL with the service's schema, deleted afterwards. */
export async function startMigratedTemporaryPostgres(): Promise<OpenDatabase> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-term-"));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  // Under root, PostgreSQL runs as another user and needs access.
  await chmod(folder, 0o755);
  const postgres = await startLocalPostgres({ dataDir: path.join(folder, "data"), durable: false });
  started.defer(() => postgres.stop());
  await migrate(postgres.url);
  const all = started.move();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void all.disposeAsync().finally(() => process.exit(130)));
  return { url: postgres.url, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
