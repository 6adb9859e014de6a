import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { migrate } from "../../lib/platform/db/migrations/migrate.ts";
import { startLocalPostgres } from "../../scripts/dev/postgres.ts";
import { isInitialised, readPostmaster } from "../../scripts/dev/postgres-folder.ts";
import { servingArguments } from "../../server/node-arguments.ts";
import { prepareCluster } from "../../tests/support/prepared-cluster.ts";

/** Production settings for measurements, with an LLM at `tutorUrl`. */
export const benchServiceSettings = (databaseUrl: string, tutorUrl = "http://127.0.0.1/never-reached") => ({
  ENVIRONMENT: "production",
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: "10",
  SECRET_KEY: "the key of the bench, which is long enough",
  LLM_PROVIDER: "direct_api",
  DIRECT_API_KEY: "none",
  DIRECT_API_BASE_URL: tutorUrl,
});

/** The bench's PostgreSQL and processes; `close` ends all of them. */
export type BenchEnvironment = {
  databaseUrl: string;
  /** PostgreSQL's main process. */
  postmaster: number;
  /**
   * Starts a script of this folder with `npm start`'s Node options. Returns its ready message, its process,
   * and a function to query it.
   */
  start<Ready extends { url: string }>(
    script: string,
    environment: Record<string, string>,
  ): Promise<Ready & { pid: number; ask(question: string): Promise<unknown> }>;
  close(): Promise<void>;
};

/** Stores data in a temporary folder, or in the given one, which stays. */
export async function openBenchEnvironment(kept?: string): Promise<BenchEnvironment> {
  const folder = kept ? path.resolve(kept) : await mkdtemp(path.join(tmpdir(), "learning-platform-bench-"));
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  const dataDir = path.join(folder, "data");
  // Creating it takes longer than many measurements.
  if (!(await isInitialised(dataDir))) await prepareCluster(dataDir);
  const postgres = await startLocalPostgres({ dataDir, durable: false });
  const { pid: postmaster = Number.NaN } = (await readPostmaster(dataDir)) ?? {};
  await migrate(postgres.url);
  const processes: ChildProcess[] = [];
  return {
    databaseUrl: postgres.url,
    postmaster,
    start: (script, environment) => {
      const child = fork(path.join(import.meta.dirname, script), {
        env: { ...process.env, ...environment },
        execArgv: servingArguments,
        // Writing the log costs time, so it is on, but discarded.
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      processes.push(child);
      return new Promise((resolve, reject) => {
        const ask = (question: string) => {
          const answered = once(child, "message").then(([answer]) => answer);
          child.send(question);
          return answered;
        };
        child.once("message", (ready) => resolve({ ...(ready as object), pid: child.pid, ask } as never));
        child.once("exit", (code) => reject(new Error(`${script} ended with ${code}`)));
      });
    },
    async close() {
      await Promise.all(processes.map(ended));
      await postgres.stop();
      if (!kept) await rm(folder, { recursive: true, force: true });
    },
  };
}

function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null) return Promise.resolve();
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.disconnect();
  return exit;
}
