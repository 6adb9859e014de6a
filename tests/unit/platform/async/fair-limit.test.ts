import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { FairLimit } from "../../../../lib/platform/async/fair-limit.ts";
import { type RequestContext, runInRequestContext } from "../../../../lib/platform/async/request-context.ts";

/** A limit of one that is occupied until `free` is called, and a log of its work. */
function takenLimit() {
  const limit = new FairLimit({ atOnce: 1 });
  const { promise: freed, resolve: free } = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = limit.run(() => freed);
  const ask = (from: string, what: string, more: Partial<RequestContext> & { evenAlone?: boolean } = {}) => {
    const { evenAlone = false, ...facts } = more;
    const record: RequestContext = { count: 0, duration_ms: 0, from, ...facts };
    return runInRequestContext(record, () => limit.run(async () => void done.push(what), { evenAlone }));
  };
  const end = () => {
    free();
    return first;
  };
  return { ask, done, free: end };
}

const caller = () => Object.assign(new EventEmitter(), { destroyed: false });

describe("a limit", () => {
  it("runs so many concurrently, and the next when one has ended, also by a failure", async () => {
    const limit = new FairLimit({ atOnce: 2 });
    let running = 0;
    let most = 0;
    const works = Array.from({ length: 7 }, (_, turn) =>
      limit.run(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        if (turn % 2) throw new Error("failed");
        return turn;
      }),
    );
    const ended = await Promise.allSettled(works);
    expect(ended.map(({ status }) => status === "fulfilled")).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(most).toBe(2);
  });

  it("gives turns by the network and the account of the requests that wait", async () => {
    const { ask, done, free } = takenLimit();
    const asked = [
      ask("2001:db8::1", "flood 1"),
      ask("2001:db8::2", "flood 2"),
      ask("2001:db8::3", "flood 3"),
      ask("2001:db8::3", "a neighbour", { account: 7 }),
      ask("203.0.113.7", "someone else"),
    ];
    await free();
    await Promise.all(asked);
    expect(done).toEqual(["flood 1", "someone else", "a neighbour", "flood 2", "flood 3"]);
  });

  it("leaves turns to other networks when one network holds its share", async () => {
    const limit = new FairLimit({ atOnce: 3, ofOneNetwork: 2 });
    const { promise: freed, resolve: free } = Promise.withResolvers<void>();
    const started: string[] = [];
    const ask = (from: string) =>
      runInRequestContext({ count: 0, duration_ms: 0, from }, () =>
        limit.run(() => {
          started.push(from);
          return freed;
        }),
      );
    const many = Array.from({ length: 5 }, () => ask("198.51.100.1"));
    const others = ["203.0.113.7", "203.0.113.8"].map(ask);
    expect(started).toEqual(["198.51.100.1", "198.51.100.1", "203.0.113.7"]);
    expect(limit.waiting).toBe(4);
    free();
    await Promise.all([...many, ...others]);
    expect(started.toSorted()).toEqual([...Array(5).fill("198.51.100.1"), "203.0.113.7", "203.0.113.8"]);
    expect(limit.waiting).toBe(0);
  });

  it("tells work whether its network has more", async () => {
    const limit = new FairLimit({ atOnce: 4, ofOneNetwork: 2 });
    const { promise: freed, resolve: free } = Promise.withResolvers<void>();
    const told: [string, boolean][] = [];
    const ask = (from: string) =>
      runInRequestContext({ count: 0, duration_ms: 0, from }, () =>
        limit.run(({ isCrowded }) => {
          told.push([from, isCrowded]);
          return freed;
        }),
      );
    const asked = ["198.51.100.1", "198.51.100.1", "198.51.100.1", "203.0.113.7"].map(ask);
    expect(told).toEqual([
      ["198.51.100.1", false],
      ["198.51.100.1", true],
      ["203.0.113.7", false],
    ]);
    free();
    await Promise.all(asked);
  });

  it("skips callers that hang up, and their work", async () => {
    const { ask, done, free } = takenLimit();
    const [gone, alone] = [caller(), caller()];
    const left = ask("203.0.113.7", "left", { caller: gone as never });
    const again = ask("203.0.113.7", "for others too", { caller: alone as never, evenAlone: true });
    const stays = ask("203.0.113.8", "stays", { caller: caller() as never });
    gone.emit("close");
    alone.emit("close");
    await expect(left).rejects.toMatchObject({ status: 499 });
    await expect(
      ask("203.0.113.7", "came dead", { caller: { ...caller(), destroyed: true } as never }),
    ).rejects.toMatchObject({ status: 499 });
    await free();
    await Promise.all([again, stays]);
    expect(done).toEqual(["for others too", "stays"]);
    expect(gone.listenerCount("close")).toBe(0);
  });
});
