import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createHashingThreadPool, ThreadLost } from "../../../../lib/identity/auth/hashing-threads.ts";
import { hashPassword, verifyPassword } from "../../../../lib/identity/auth/password-hashes.ts";
import { FairLimit } from "../../../../lib/platform/async/fair-limit.ts";
import { runInRequestContext } from "../../../../lib/platform/async/request-context.ts";

const scripted = (script: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, threadId, workerData } from "worker_threads"; ${script}`)}`,
  );

const task = { password: "correct horse", cost: 4 };

/** CPU seconds of this thread during work, independent of the machine's load. */
async function ownTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}

describe("a password of a real cost", () => {
  it("is hashed and verified without a hash's time of the thread that asks", async () => {
    await hashPassword("warm", 7);
    const alone = await ownTime(() => hashPassword("correct horse", 7));
    const hash = await hashPassword("correct horse", 9);
    const many = () => Promise.all(Array.from({ length: 4 }, () => verifyPassword("correct horse", hash, 9)));
    // At cost 9 each takes four times as long as the one at cost 7, which stays on this thread.
    expect(await ownTime(many)).toBeLessThan(alone * 8);
    expect(await many()).toEqual([true, true, true, true]);
    expect(await verifyPassword("wrong horse", hash, 9)).toBe(false);
  });

  it("does not keep a process that has nothing else to do", async () => {
    const passwords = pathToFileURL(
      new URL("../../../../lib/identity/auth/password-hashes.ts", import.meta.url).pathname,
    ).href;
    const script = `const { hashPassword } = await import("${passwords}"); console.log(await hashPassword("x", 8));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
    expect(stdout).toMatch(/^\$2b\$08\$/);
  });
});

describe("hashing threads", () => {
  it("work concurrently, up to the allowed number", async () => {
    const threads = createHashingThreadPool(
      scripted("parentPort.on('message', () => parentPort.postMessage(String(threadId)))"),
      new FairLimit({ atOnce: 2 }),
    );
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        runInRequestContext({ count: 0, duration_ms: 0, from: `203.0.113.${n}` }, () => threads.run(task)),
      ),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it("have a low priority for networks with several tasks", async () => {
    const threads = createHashingThreadPool(
      scripted("parentPort.on('message', () => parentPort.postMessage(String(workerData.niceness)))"),
      new FairLimit({ atOnce: 1 }),
    );
    const priorities = await Promise.all([1, 2, 3, 4].map(() => threads.run(task)));
    expect(priorities).toEqual(["2", "15", "15", "2"]);
  });

  it("reject no task, however many wait", async () => {
    const threads = createHashingThreadPool(
      scripted("parentPort.on('message', () => parentPort.postMessage('hashed'))"),
      new FairLimit({ atOnce: 1 }),
    );
    const asked = await Promise.all(Array.from({ length: 5000 }, () => threads.run(task)));
    expect(asked).toEqual(Array(5000).fill("hashed"));
  });

  it.each([
    ["ends within its task", scripted("parentPort.on('message', () => process.exit())")],
    ["does not start", pathToFileURL("/nowhere/at/all.ts")],
  ])("tell of a thread that %s, each time, and wait for nobody", async (_, file) => {
    const threads = createHashingThreadPool(file, new FairLimit({ atOnce: 1 }));
    const asked = await Promise.allSettled([1, 2, 3].map(() => threads.run(task)));
    for (const one of asked) expect(one).toMatchObject({ reason: expect.any(ThreadLost) });
  });
});
