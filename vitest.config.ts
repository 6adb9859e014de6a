import { defineConfig } from "vitest/config";
import { nodeArguments } from "./server/node-arguments.ts";
import { LongFilesFirst } from "./tests/support/run-order.ts";

type Driver = "pg" | "neon" | "pooled";

/** Their files open worlds of their own and leave modules as they are: loaded once a worker, they take half the time. */
const shareModules = ["pure", "db", "api-pg", "api-neon", "api-pooled", "repo", "browser"];

/** The tests of these folders. All but the pure ones find a PostgreSQL running. */
const project = (
  name: string,
  folder: string | readonly string[],
  driver: Driver = "pg",
  without: readonly string[] = [],
) => ({
  extends: true as const,
  test: {
    name,
    include: [folder].flat().map((one) => `tests/${one}/**/*.test.ts`),
    exclude: [
      ...(name === "process" ? ["tests/processes/browser/**"] : []),
      ...without.map((file) => `tests/${file}.test.ts`),
    ],
    isolate: !shareModules.includes(name),
    // Through Neon's driver statements are planned with their values each time, as they are there.
    provide: { driver, plansOnce: name === "api-pg" },
    ...(name !== "pure" && { globalSetup: "tests/support/global-setup.ts" }),
  },
});

/** Someone who names a file is at work on it and wants its tests once: `vitest run tests/api/auth/register.test.ts`. */
const isPartOfTests = process.argv.slice(2).some((argument) => /^(\.\/)?tests\/|\.test\.ts/.test(argument));
const asksForNeon = process.argv.some((argument) => argument.includes("api-neon"));

/**
 * What depends on the driver, which is how statements are sent, lost, repeated, raced and streamed. Every read of the API
 * goes through both in tests/repo/round-trips.test.ts as well; the rest goes through Neon's when that is asked for.
 */
const throughNeon = ["accounts", "auth", "chat", "enrollments", "http", "progress", "prompts"];

/** What in these is of threads, hashes, signatures and traces: it sends the database what all of them send. */
const besideTheDriver = ["auth/hashing-turns", "auth/saml-refusals", "chat/tracing", "http/reading-files"];

/** The API is tested through both drivers, since production may use either; everything else runs once. */
export const projects = [
  project("pure", "unit"),
  project("db", "db"),
  project("api-pg", "api"),
  ...(asksForNeon ? [project("api-neon", "api", "neon")] : []),
  ...(isPartOfTests || asksForNeon
    ? []
    : [
        project(
          "api-neon",
          throughNeon.map((group) => `api/${group}`),
          "neon",
          besideTheDriver.map((file) => `api/${file}`),
        ),
      ]),
  // On demand, and where it is installed: through PgBouncer, of which tests/db/pgbouncer.test.ts asks the most every time.
  ...(process.argv.some((argument) => argument.includes("api-pooled"))
    ? [project("api-pooled", "api", "pooled")]
    : []),
  project("repo", "repo"),
  project("browser", "processes/browser"),
  project("process", "processes"),
];

export default defineConfig({
  test: {
    // One more than the processors that CI has: half of their time tests wait, for a browser, a process or the database.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    // Half of what a file takes to load.
    execArgv: nodeArguments,
    // They end what hangs. None is a statement about speed: a busy machine takes its time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A poll gives up before its test does, and says what it waited for.
    expect: { poll: { timeout: 240_000 } },
    coverage: {
      include: ["functions/**/*.ts", "lib/**/*.ts", "schema/**/*.ts"],
      reporter: ["text-summary", "html"],
    },
    projects,
  },
});
