import { expect, it, vi } from "vitest";
import type { Job } from "../../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../../lib/platform/jobs/scheduled.ts";
import type { Logger } from "../../../../lib/platform/logging/log.ts";

const onServer = { everySeconds: 5 };
const job = (name: string, more: Partial<Job> = {}): Job => ({
  ...{ name, onServer, function: "f", reserveSeconds: 10 },
  ...more,
});

const minutely = { everySeconds: 60 };
const [first, second, third] = [
  job("first", { called: minutely, followedBy: ["second"] }),
  job("second"),
  job("third", { called: { dailyAt: "03:30" } }),
];

const context = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds });

function deps(time = "2026-03-10T02:05:00Z") {
  const info = vi.fn();
  return { now: () => new Date(time), log: { info } as unknown as Logger, info };
}

it("runs an event's job, or the first, and its followers", async () => {
  const did: string[] = [];
  const verb = (name: string) => async () => {
    did.push(name);
    return { [name]: 1 };
  };
  const own = deps();
  const handler = createLambdaJobHandler(own, [first, verb("1")], [second, verb("2")], [third, verb("3")]);
  expect(await handler({}, context(60_000))).toEqual({ 1: 1, 2: 1, looked: true });
  expect(own.info).not.toHaveBeenCalled();
  expect(await handler({ job: "third" }, context(60_000))).toEqual({ 3: 1, looked: true });
  expect(own.info).toHaveBeenCalledWith({ job: "third", 3: 1 }, expect.any(String));
  expect(did).toEqual(["1", "2", "3"]);
});

it("does not read the database between its polls if it is called each minute, and otherwise always does", async () => {
  const verb = async () => ({});
  const handler = createLambdaJobHandler(deps(), [first, verb], [second, verb], [third, verb]);
  const looks = async (event: object) => (await handler(event, context(60_000))).looked;
  expect([await looks({}), await looks({})]).toEqual([true, false]);
  expect(await looks({ awslogs: {} })).toBe(true);
  expect([await looks({ job: "third" }), await looks({ job: "third" })]).toEqual([true, true]);
});

it("looks again when the next thing is due that one of its jobs knows of", async () => {
  let time = "2026-03-10T02:05:00Z";
  const parts = { ...deps(), now: () => new Date(time) };
  const nextDue = new Date("2026-03-10T02:07:00Z");
  const handler = createLambdaJobHandler(
    parts,
    [first, async () => ({})],
    [second, async () => ({ nextDue })],
  );
  const looks = async (now: string) => {
    time = now;
    return (await handler({}, context(60_000))).looked;
  };
  expect(await looks("2026-03-10T02:05:00Z")).toBe(true);
  expect(await looks("2026-03-10T02:06:59Z")).toBe(false);
  expect(await looks("2026-03-10T02:07:00Z")).toBe(true);
});

it("runs followers also after a failed job, rejects with that, and reads again at the next event", async () => {
  const followed = vi.fn(async () => ({}));
  const failing = async () => {
    throw new Error("no database");
  };
  const handler = createLambdaJobHandler(deps(), [first, failing], [second, followed]);
  await expect(handler({}, context(60_000))).rejects.toThrow("no database");
  await expect(handler({}, context(60_000))).rejects.toThrow("no database");
  expect(followed).toHaveBeenCalledTimes(2);
});

it("stops a job when its reserve of the function's time is left", async () => {
  const stopped = (signal: AbortSignal) =>
    new Promise<{ stopped: boolean }>((resolve) =>
      signal.addEventListener("abort", () => resolve({ stopped: true })),
    );
  const handler = createLambdaJobHandler(deps(), [job("one"), stopped]);
  expect(await handler({}, context(10_020))).toEqual({ stopped: true, looked: true });
  expect(await handler({}, context(1))).toEqual({ stopped: true, looked: true });
});
