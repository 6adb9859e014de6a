import { defineConfig, type TestUserConfig } from "vitest/config";
import { nodeArguments } from "./server/node-arguments.ts";
import { onlyInAll } from "./tests/support/only-in-all.ts";
import { LongFilesFirst } from "./tests/support/run-order.ts";
import { SlowestFiles } from "./tests/support/slowest-files.ts";

type Driver = "pg" | "neon" | "pooled";

/** Their files open worlds of their own and leave modules as they are: loaded once a worker, they take half the time. */
const shareModules = ["pure", "db", "api-pg", "api-neon", "api-pooled", "repo", "browser"];

const words = process.argv.slice(3);
const isOption = (word = "") => word.startsWith("-");
/** Named files run in either command, and once. A filter is a path, or a word that is no option's value. */
const namesFiles = words.some(
  (word, index) => /^(\.\/)?tests\/|\.test\.ts/.test(word) || !(isOption(word) || isOption(words[index - 1])),
);

const asksFor = (project: string) => process.argv.some((argument) => argument.includes(project));

/**
 * What depends on the driver, which is how statements are sent, lost, repeated, raced and streamed. Every read of the API
 * goes through both in tests/repo/round-trips.test.ts as well; the rest goes through Neon's when that is asked for.
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

/** What in these is of threads, hashes, signatures and traces: it sends the database what all of them send. */
const besideTheDriver = [
  "identity/auth/hashing-turns",
  "identity/auth/saml-refusals",
  "tutor/chat/tracing",
  "http/reading-files",
];

/** What `npm test` runs, or `npm run test:all`: each project is a folder of tests, and all but `pure` find a PostgreSQL running. */
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
        // Through Neon's driver statements are planned with their values each time, as they are there.
        provide: { driver, plansOnce: name === "api-pg", exhaustive },
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
    // On demand, and where it is installed: through PgBouncer, of which tests/db/platform/pgbouncer.test.ts asks the most every time.
    ...(asksFor("api-pooled") ? [project("api-pooled", ["api"], { driver: "pooled" })] : []),
    project("repo", ["repo"]),
    project("browser", ["processes/browser"]),
    project("process", ["processes"], { without: ["tests/processes/browser/**"] }),
  ];
}

/** What both commands share. */
export const settings = {
  // One more than the processors that CI has: half of their time tests wait, for a browser, a process or the database.
  maxWorkers: 3,
  reporters: [new SlowestFiles(), "default"],
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
} satisfies TestUserConfig;

/** `npm test`: what is used daily, in minutes. */
export default defineConfig({ test: { ...settings, projects: projectsOf({ exhaustive: false }) } });
