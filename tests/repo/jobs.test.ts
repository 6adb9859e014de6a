import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Job, type JobCadence, jobs } from "../../lib/platform/jobs/jobs.ts";

const root = path.resolve(import.meta.dirname, "../..");
const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");

const table = Object.entries<Job>(jobs);
const all = table.map(([, job]) => job);
const functions = [...new Set(all.map((job) => job.function))].sort();

/** The jobs that these files bind to functions, in order. */
const boundIn = (files: string[]): string[] =>
  files.flatMap((file) => [...textOf(file).matchAll(/\bjobs\.(?!ts")(\w+)/g)].map(([, name = ""]) => name));

type Event = { schedule: string; job?: string | undefined };

/** The timeouts and schedules of serverless.yml's functions. */
function functionsOfServerless(): Map<string, { timeout: number; events: Event[] }> {
  const text = textOf("serverless.yml");
  const section = /^functions:\n((?: .*\n|\n)+)/m.exec(text)?.[1] ?? "";
  const blocks = [...section.matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n|\n| {2}#.*\n)+)/gm)];
  return new Map(
    blocks.map(([, name = "", block = ""]) => {
      const events = [
        ...block.matchAll(
          /- schedule: (\w+\(.*\))$|- schedule:\n +rate: (\w+\(.*\))\n +input: \{ job: (\w+) \}$/gm,
        ),
      ].map(([, plain, rate, job]) => ({ schedule: plain ?? rate ?? "", job }));
      expect(events, name).toHaveLength([...block.matchAll(/- schedule:/g)].length);
      return [name, { timeout: Number(/^ {4}timeout: (\d+)$/m.exec(block)?.[1]), events }];
    }),
  );
}

/** EventBridge's expression of a cadence. Cadences above one minute share the same minutes. */
function scheduleOf(cadence: JobCadence): string {
  if ("dailyAt" in cadence) {
    const [hour, minute] = cadence.dailyAt.split(":").map(Number);
    return `cron(${minute} ${hour} * * ? *)`;
  }
  const minutes = cadence.everySeconds / 60;
  return minutes === 1 ? "rate(1 minute)" : `cron(0/${minutes} * * * ? *)`;
}

describe("the table of jobs", () => {
  it("names each by its key, and followers run in the same function", () => {
    expect(all.map(({ name }) => name)).toEqual(table.map(([key]) => key));
    const followers = all.flatMap((job) => (job.followedBy ?? []).map((name) => ({ job, name })));
    for (const { job, name } of followers)
      expect(all.find((one) => one.name === name)?.function, name).toBe(job.function);
    const begun = [...all.filter(({ called }) => called), ...followers];
    expect(new Set(begun.map(({ name }) => name))).toEqual(new Set(all.map(({ name }) => name)));
  });

  it("is the work of the scheduled functions: each its own jobs, in their order, and no more", () => {
    const handlers = globSync("functions/*/*/handler.ts", { cwd: root });
    const scheduled = handlers.filter((file) => textOf(file).includes("lib/platform/jobs/")).sort();
    const nameOf = (file: string) => path.basename(path.dirname(file));
    expect(scheduled.map(nameOf).sort()).toEqual(functions);
    for (const file of scheduled) {
      const name = nameOf(file);
      const own = all.filter((job) => job.function === name).map((job) => job.name);
      expect(boundIn([file]), name).toEqual(own);
    }
  });

  it("is the work of a server, each once", () => {
    const bound = boundIn(globSync("server/**/*.ts", { cwd: root }));
    expect(bound.sort()).toEqual(all.map(({ name }) => name).sort());
  });

  it("is when serverless.yml has the functions called, which leaves each its reserve of time", () => {
    const deployed = functionsOfServerless();
    expect(deployed.size).toBeGreaterThan(20);
    const called = [...deployed].filter(([, { events }]) => events.length > 0);
    expect(called.map(([name]) => name).sort()).toEqual(functions);
    for (const [name, { timeout, events }] of called) {
      const own = all.filter((job) => job.function === name);
      // An event without a job means the first.
      const [first, ...more] = own.filter((job) => job.called);
      expect(events, name).toEqual(
        [first, ...more].map((job) => ({
          schedule: job?.called && scheduleOf(job.called),
          job: job === first ? undefined : job?.name,
        })),
      );
      for (const { name: job, reserveSeconds } of own) expect(timeout, job).toBeGreaterThan(reserveSeconds);
    }
  });
});
