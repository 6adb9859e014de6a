import { defineConfig, type TestUserConfig } from "vitest/config";
import { nodeArguments } from "./server/node-arguments.ts";
import { onlyInAll } from "./tests/support/only-in-all.ts";
import { LongFilesFirst } from "./tests/support/run-order.ts";
import { SlowestFiles } from "./tests/support/slowest-files.ts";

type Driver = "pg" | "neon" | "pooled";

/** Projects whose files share loaded modules in a worker, which halves their time. Each file opens its own world. */
const shareModules = ["pure", "db", "api-pg", "api-neon", "api-pooled", "repo", "browser"];

const words = process.argv.slice(3);
const isOption = (word = "") => word.startsWith("-");
/** Named files run in either command, once. A filter is a path, or a word that is not an option's value. */
const namesFiles = words.some(
  (word, index) => /^(\.\/)?tests\/|\.test\.ts/.test(word) || !(isOption(word) || isOption(words[index - 1])),
);

const asksFor = (project: string) => process.argv.some((argument) => argument.includes(project));

/**
 * Tests that depend on the driver: how statements are sent, lost, repeated, raced and streamed. Every read of the API also
 * runs with both drivers in tests/repo/round-trips.test.ts; other tests use Neon's driver on request.
 */
const throughNeon = [
  "courses/enrollments",
  "courses/progress",
  "http",
  "identity/accounts",
  "identity/auth",
  "tutor/chat",
  "tutor/prompts",
];

/** Tests in these folders that do not depend on the driver: threads, hashes, signatures and traces. */
const besideTheDriver = [
  "identity/auth/hashing-turns",
  "identity/auth/saml-refusals",
  "tutor/chat/tracing",
  "http/reading-files",
];

/** The projects of `npm test` and `npm run test:all`: a folder of tests each. All but `pure` have a running PostgreSQL. */
export function projectsOf({ exhaustive }: { exhaustive: boolean }) {
  const project = (
    name: string,
    folders: readonly string[],
    { driver = "pg", without = [] }: { driver?: Driver; without?: readonly string[] } = {},
  ) => {
    const left = exhaustive || namesFiles ? [] : onlyInAll.filter((one) => one.project === name);
    const kept = left.flatMap((one) => ("allBut" in one ? one.allBut : []));
    return {
      extends: true as const,
      test: {
        name,
        include: kept.length > 0 ? kept : folders.map((folder) => `tests/${folder}/**/*.test.ts`),
        exclude: [...without, ...left.flatMap((one) => ("files" in one ? one.files : []))],
        isolate: !shareModules.includes(name),
        provide: { driver, exhaustive },
        ...(name !== "pure" && { globalSetup: "tests/support/global-setup.ts" }),
      },
    };
  };
  const neon = asksFor("api-neon")
    ? [project("api-neon", ["api"], { driver: "neon" })]
    : [
        project(
          "api-neon",
          throughNeon.map((group) => `api/${group}`),
          { driver: "neon", without: besideTheDriver.map((file) => `tests/api/${file}.test.ts`) },
        ),
      ];
  return [
    project("pure", ["unit"]),
    project("db", ["db"]),
    project("api-pg", ["api"]),
    ...(asksFor("api-neon") || (exhaustive && !namesFiles) ? neon : []),
    // On request, if PgBouncer is installed. tests/db/platform/pgbouncer.test.ts covers most of it.
    ...(asksFor("api-pooled") ? [project("api-pooled", ["api"], { driver: "pooled" })] : []),
    project("repo", ["repo"]),
    project("browser", ["processes/browser"]),
    project("process", ["processes"], { without: ["tests/processes/browser/**"] }),
  ];
}

/** Settings of both commands. */
export const settings = {
  // One more than CI's processors: tests wait half of their time for a browser, a process or the database.
  maxWorkers: 3,
  reporters: [new SlowestFiles(), "default"],
  sequence: { sequencer: LongFilesFirst },
  // The compile cache halves what a file takes to load; a large young generation saves a tenth of the rest.
  execArgv: [...nodeArguments, "--max-semi-space-size=32", "--min-semi-space-size=32"],
  // They end what hangs. None is a statement about speed: a busy machine takes its time.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // A poll gives up before its test does, and says what it waited for.
  expect: { poll: { timeout: 240_000 } },
  coverage: {
    include: ["functions/**/*.ts", "lib/**/*.ts", "schema/**/*.ts"],
    reporter: ["text-summary", "html"],
  },
} satisfies TestUserConfig;

/** Tests use the client's sources instead of its compiled package. The others are the defaults of Vitest. */
export const ssr = {
  resolve: { conditions: ["learning-platform-source", "node", "development|production"] },
};

/** `npm test`: what is used daily, in minutes. */
export default defineConfig({ ssr, test: { ...settings, projects: projectsOf({ exhaustive: false }) } });
