import { EventEmitter } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HttpError } from "../../../../lib/errors.ts";
import { runInRequestContext } from "../../../../lib/platform/async/request-context.ts";
import {
  createReaderThreadPool,
  type ReadingLimits,
} from "../../../../lib/platform/readers/reading-threads.ts";
import { holdDeadlines } from "../../../support/held-deadlines.ts";

const limits: ReadingLimits = {
  ...{ threads: 2, files: 3, waitSeconds: 10, waitingFiles: 4 },
  ...{ seconds: 60, timeoutSeconds: 600, megabytes: 32 },
};

/** CPU time includes the thread's start. */
const short: ReadingLimits = { ...limits, seconds: 1 };

/** A thread that runs the script, which may call `say`. */
const scripted = (script: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(
      `import { parentPort, workerData } from "node:worker_threads";
       const say = (value) => parentPort.postMessage({ value });
       ${script}`,
    )}`,
  );

const echo = scripted("say(workerData)");

/** Says its name once the lock opens. */
const waits = scripted("Atomics.wait(workerData.lock, 0, 0); say(workerData.name)");

/** A file sent before that is not small. */
const large = {
  name: "large.zip",
  size: 2 ** 20 + 1,
  open: async () => {
    throw new Error("it is not read");
  },
};

afterEach(() => {
  vi.useRealTimers();
});

function gate(name: string) {
  const lock = new Int32Array(new SharedArrayBuffer(4));
  const open = () => {
    Atomics.store(lock, 0, 1);
    Atomics.notify(lock, 0);
  };
  return { input: { lock, name }, open };
}

describe("a reused thread", () => {
  /** Says its call count. 0 is rejected, -1 never ends. */
  const counting = scripted(`
    let times = 0;
    const answer = (given) => {
      times += 1;
      if (given === 0) parentPort.postMessage({ status: 400, detail: "no" });
      else if (given < 0) for (;;);
      else say(times);
    };
    parentPort.on("message", answer);
    answer(workerData);`);

  it("reads further files, but none after a rejected or timed-out one", async () => {
    const reader = createReaderThreadPool(short, (read) => Number(read) < 3);
    const read = (given: number) => reader.read(counting, given, 1).catch(({ status }) => status);
    expect([await read(1), await read(1), await read(1), await read(1)]).toEqual([1, 2, 3, 1]);
    expect([await read(0), await read(1), await read(-1), await read(1)]).toEqual([400, 1, 400, 1]);
  });

  it("reads one thing at a time, of as many people as there are threads", async () => {
    const reader = createReaderThreadPool(limits, () => true);
    const all = await Promise.all([1, 1, 2, 2].map((person) => reader.read(counting, 1, person)));
    expect(all.filter((times) => times === 1).length).toBeLessThanOrEqual(2);
  });
});

describe("a thread that reads a file", () => {
  it("returns its result, and throws its errors", async () => {
    const reader = createReaderThreadPool(limits);
    expect(await reader.read(echo, { text: "a;b" }, 1)).toEqual({ text: "a;b" });
    const refuses = scripted('parentPort.postMessage({ status: 400, detail: "no" })');
    await expect(reader.read(refuses, 0, 1)).rejects.toMatchObject({ status: 400, message: "no" });
    const faulty = scripted(
      'parentPort.postMessage({ issues: [{ loc: ["body", "csv"], msg: "no", type: "t" }] })',
    );
    await expect(reader.read(faulty, 0, 1)).rejects.toMatchObject({ issues: [{ loc: ["body", "csv"] }] });
  });

  it.each([
    ["without end", "for (;;);"],
    ["an endless pattern", '/^(a|a)*$/.test("a".repeat(40) + "b"); say(1)'],
  ])("has its time of a processor: %s", async (_, script) => {
    await expect(createReaderThreadPool(short).read(scripted(script), 0, 1)).rejects.toMatchObject({
      status: 400,
      message: "Reading the file needs more than 1 seconds of a processor",
    });
  });

  it("has its own memory limit, outside of the process's: other files are read concurrently", async () => {
    const reader = createReaderThreadPool(limits);
    const greedy = scripted("const all = []; for (;;) all.push({ at: String(all.length) });");
    const columns = scripted(
      'const all = []; for (;;) all.push(Object.fromEntries(Array.from({ length: 9999 }, (_, at) => ["c" + at, at])));',
    );
    for (const script of [greedy, columns]) {
      const [first, second] = await Promise.allSettled([
        reader.read(script, 0, 1),
        reader.read(echo, "b", 2),
      ]);
      expect(first).toMatchObject({
        reason: { status: 400, message: "Reading the file needs more than 32 MB of memory" },
      });
      expect(second).toMatchObject({ value: "b" });
    }
  });

  it("is given up when the machine has no time for it", async () => {
    const deadlines = holdDeadlines();
    const idle = scripted("parentPort.on('message', () => {})");
    const read = expect(createReaderThreadPool(limits).read(idle, 0, 1)).rejects.toMatchObject({
      status: 503,
    });
    deadlines.pass(limits.timeoutSeconds * 1000);
    await read;
  });

  it.each([
    ["ends without a word", "process.exit(7)"],
    ["throws", 'throw new Error("broken")'],
  ])("that %s is a fault, and the next one reads", async (_, script) => {
    const reader = createReaderThreadPool(limits);
    const [outcome] = await Promise.allSettled([reader.read(scripted(script), 0, 1)]);
    expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(Error) });
    expect(outcome.status === "rejected" && outcome.reason).not.toBeInstanceOf(HttpError);
    expect(await reader.read(echo, 1, 1)).toBe(1);
  });
});

describe("people", () => {
  it("have one file read at a time, and a few waiting", async () => {
    const reader = createReaderThreadPool(limits);
    const [first, second, third] = [gate("1"), gate("2"), gate("3")];
    const ends: string[] = [];
    const asked = [first, second, third].map(({ input }) =>
      reader.read<string>(waits, input, 1).then((name) => ends.push(name)),
    );
    await expect(reader.read(echo, 0, 1, large)).rejects.toMatchObject({
      status: 429,
      headers: { "Retry-After": "60" },
    });
    third.open();
    second.open();
    expect(await reader.read(echo, "of another", 2)).toBe("of another");
    expect(ends).toEqual([]);
    first.open();
    await Promise.all(asked);
    expect(ends).toEqual(["1", "2", "3"]);
    expect(await reader.read(echo, "again", 1)).toBe("again");
  });

  it("wait for their turn with a small file, for ten seconds and no longer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const reader = createReaderThreadPool(limits);
    const first = gate("1");
    const asked = [reader.read(waits, first.input, 1), reader.read(echo, 2, 1), reader.read(echo, 3, 1)];
    const early = reader.read(echo, "early", 1);
    const outcome = early.catch(({ status }) => status);
    vi.advanceTimersByTime(9_999);
    const late = reader.read(echo, "late", 1);
    vi.advanceTimersByTime(1);
    expect(await outcome).toBe(429);
    first.open();
    expect(await Promise.all([...asked, late])).toEqual(["1", 2, 3, "late"]);
    vi.advanceTimersByTime(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("cannot block others with small files, of which a limited number waits", async () => {
    const reader = createReaderThreadPool({ ...limits, threads: 1 });
    const first = gate("1");
    const asked = [reader.read(waits, first.input, 1), ...[2, 3, 4, 5].map((n) => reader.read(echo, n, 1))];
    await expect(reader.read(echo, 6, 1)).rejects.toMatchObject({ status: 429 });
    const other = reader.read(echo, "of another", 2);
    first.open();
    expect(await Promise.all([...asked, other])).toEqual(["1", 2, 3, 4, 5, "of another"]);
  });

  it("take turns: one person's many files do not delay another's", async () => {
    const reader = createReaderThreadPool({ ...limits, threads: 1, waitingFiles: 50 });
    const first = gate("1");
    const ends: unknown[] = [];
    const read = async (person: number, file = echo, input: unknown = person) => {
      ends.push(await reader.read(file, input, person));
    };
    const asked = [read(1, waits, first.input), read(2), read(2), read(1), read(1), read(3)];
    first.open();
    await Promise.all(asked);
    expect(ends).toEqual(["1", 2, 1, 3, 2, 1]);
  });

  it("leave the queue when they hang up: their files are not read, and take no slot", async () => {
    const reader = createReaderThreadPool(limits);
    const first = gate("1");
    const asked = reader.read(waits, first.input, 1);
    const reads = new Int32Array(new SharedArrayBuffer(4));
    const counts = scripted("Atomics.add(workerData, 0, 1); say(1)");
    const readFor = (caller: EventEmitter & { destroyed: boolean }) =>
      runInRequestContext({ count: 0, duration_ms: 0, caller: caller as never }, () =>
        reader.read(counts, reads, 1),
      );
    const caller = (destroyed = false) => Object.assign(new EventEmitter(), { destroyed });
    const [gone, stays] = [caller(), caller()];
    const left = readFor(gone);
    const waited = readFor(stays);
    gone.emit("close");
    await expect(left).rejects.toMatchObject({ status: 499 });
    await expect(readFor(caller(true))).rejects.toMatchObject({ status: 499 });
    const atOnce = reader.read(echo, "in its place", 1);
    first.open();
    expect(await Promise.all([asked, waited, atOnce])).toEqual(["1", 1, "in its place"]);
    expect(reads[0]).toBe(1);
    expect([gone, stays].map((one) => one.listenerCount("close"))).toEqual([0, 0]);
  });

  it("get an error when very many wait", async () => {
    const reader = createReaderThreadPool({ ...limits, threads: 1 });
    const first = gate("1");
    const asked = [
      reader.read(waits, first.input, 1),
      ...[2, 3, 4, 5].map((one) => reader.read(echo, one, one)),
    ];
    await expect(reader.read(echo, 0, 6)).rejects.toMatchObject({ status: 503 });
    first.open();
    expect(await Promise.all(asked)).toEqual(["1", 2, 3, 4, 5]);
  });
});
