import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startLocalPostgres } from "../../dev/postgres.ts";

/** The address of an empty database in a temporary PostgreSQL, which ends with the object. */
export async function openScratchDatabase(): Promise<AsyncDisposable & { url: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-migrations-"));
  // Under root, PostgreSQL runs as another user and needs access.
  await chmod(folder, 0o755);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const postgres = await startLocalPostgres({ dataDir: path.join(folder, "data"), durable: false });
    return {
      url: postgres.url,
      [Symbol.asyncDispose]: async () => {
        await postgres.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
