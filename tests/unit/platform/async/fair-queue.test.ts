import { describe, expect, it } from "vitest";
import { FairQueue } from "../../../../lib/platform/async/fair-queue.ts";

type Wait = [network: string, account: string, item: string];

function queueOf(...waiting: Wait[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const [network, account, item] of waiting) queue.add({ network, account }, item);
  return queue;
}

function all(take: () => string | undefined): string[] {
  const taken: string[] = [];
  for (let item = take(); item !== undefined; item = take()) taken.push(item);
  return taken;
}

const flood = (network: string, account: string, count: number): Wait[] =>
  Array.from({ length: count }, (_, n) => [network, account, `${network}${account}${n + 1}`]);

describe("the queue", () => {
  it("takes turns by network: a caller after a flood waits for one item of it", () => {
    const queue = queueOf(...flood("A", "a", 5), ["B", "b", "B1"], ["C", "c", "C1"]);
    expect(all(() => queue.take())).toEqual(["Aa1", "B1", "C1", "Aa2", "Aa3", "Aa4", "Aa5"]);
    expect(queue.size).toBe(0);
  });

  it("takes turns by account within a network, which counts as one", () => {
    const queue = queueOf(...flood("A", "a", 3), ["A", "b", "Ab1"], ...flood("B", "x", 3));
    expect(all(() => queue.take())).toEqual(["Aa1", "Bx1", "Ab1", "Bx2", "Aa2", "Bx3", "Aa3"]);
  });

  it("is first in, first out for one account", () => {
    const queue = queueOf(...flood("A", "a", 4));
    expect(all(() => queue.take())).toEqual(["Aa1", "Aa2", "Aa3", "Aa4"]);
  });

  it("delays a caller that arrives just after by one turn", () => {
    const queue = queueOf(...flood("A", "a", 3));
    expect(queue.take()).toBe("Aa1");
    queue.add({ network: "B", account: "b" }, "B1");
    expect(all(() => queue.take())).toEqual(["Aa2", "B1", "Aa3"]);
  });

  it("leaves when it does not wait any more", () => {
    const queue = queueOf(...flood("A", "a", 3), ["B", "b", "B1"]);
    queue.remove({ network: "A", account: "a" }, "Aa2");
    queue.remove({ network: "B", account: "b" }, "B1");
    queue.remove({ network: "B", account: "b" }, "B1");
    expect([queue.size, all(() => queue.take())]).toEqual([2, ["Aa1", "Aa3"]]);
  });
});
