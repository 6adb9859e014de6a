import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LocalPostgres, startLocalPostgres } from "../../scripts/dev/postgres.ts";
import { prepareCluster } from "../../tests/support/prepared-cluster.ts";
import type { OutageRecorder } from "./outages.ts";

/** A separate PostgreSQL with the service's schema that can be stopped. */
export class RestartableDatabase {
  readonly #folder: string;
  readonly #outages: OutageRecorder;
  #postgres: LocalPostgres;

  private constructor(folder: string, postgres: LocalPostgres, outages: OutageRecorder) {
    this.#folder = folder;
    this.#postgres = postgres;
    this.#outages = outages;
  }

  static async open(outages: OutageRecorder): Promise<RestartableDatabase> {
    const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-chaos-"));
    // Under root, PostgreSQL runs as another user and needs access.
    await chmod(folder, 0o755);
    const dataDir = path.join(folder, "data");
    await prepareCluster(dataDir);
    return new RestartableDatabase(folder, await startLocalPostgres({ dataDir, durable: true }), outages);
  }

  get url(): string {
    return this.#postgres.url;
  }

  /** Ends all connections, and stays down for at least that many milliseconds. */
  restart(milliseconds: number): Promise<void> {
    return this.#outages.during("database", async () => {
      const { port } = this.#postgres;
      await this.#postgres.stop();
      await sleep(milliseconds);
      this.#postgres = await startLocalPostgres({
        dataDir: path.join(this.#folder, "data"),
        durable: true,
        port,
      });
    });
  }

  async close(): Promise<void> {
    await this.#postgres.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
