import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnswerStreamEvent } from "../../../../lib/tutor/generations/chunk-batch.ts";
import { ReplayBuffer } from "../../../../lib/tutor/generations/replay-buffer.ts";

/** A learner's client: appends chunks and clears its text at a restart. */
function clientOf(buffer: ReplayBuffer) {
  const sent: AnswerStreamEvent[] = [];
  return {
    sent,
    text: () =>
      sent
        .slice(sent.lastIndexOf("restart") + 1)
        .flat()
        .join(""),
    restarts: () => sent.filter((received) => received === "restart").length,
    receive: (batches: string[][], whole = false) => {
      sent.push(...buffer.deltas({ batches }, whole));
    },
  };
}

describe("the text of a subscriber", () => {
  it("continues silently if a new draft continues the received text, in any chunks", () => {
    const client = clientOf(new ReplayBuffer());
    client.receive([["Hel", "lo, "], ["A"]]);
    client.receive([["H"], ["ello", ", Ad"], ["a."]], true);
    expect(client.sent).toEqual([["Hel", "lo, "], ["A"], ["d"], ["a."]]);
  });

  it("restarts if a new draft differs, from its first chunk", () => {
    const client = clientOf(new ReplayBuffer());
    client.receive([["Hello, "], ["Ada."]]);
    client.receive([["Hello, "], ["Ben."]]);
    expect(client.sent).toEqual([["Hello, "], ["Ada."], "restart", ["Hello, "], ["Ben."]]);
  });

  it("restarts if the whole answer is shorter than the received text, and not before it is complete", () => {
    const client = clientOf(new ReplayBuffer());
    client.receive([["Hello, Ada."]]);
    const batches = [["Hello"]];
    client.receive(batches);
    expect(client.restarts()).toBe(0);
    client.receive(batches, true);
    expect(client.sent.slice(1)).toEqual(["restart", ["Hello"]]);
  });

  it("has each batch once that arrives while earlier ones are passed on", () => {
    const buffer = new ReplayBuffer();
    const batches = [["Good"], [" day"]];
    const first = { batches };
    const client = clientOf(buffer);
    client.sent.push(...buffer.deltas({ batches: [["Hello"]] }, false));
    for (const received of buffer.deltas(first, false)) {
      client.sent.push(received);
      if (batches.length < 5) batches.push([String(batches.length)]);
    }
    client.sent.push(...buffer.deltas(first, true));
    expect(client.text()).toBe(batches.flat().join(""));
  });

  it("is the last draft in the end, after any drafts and delays", () => {
    const chunk = fc.stringMatching(/^[ab]{1,3}$/);
    const batch = fc.array(chunk, { minLength: 1, maxLength: 3 });
    const draft = fc.record({ batches: fc.array(batch, { maxLength: 5 }), receivedAt: fc.array(fc.nat(5)) });
    fc.assert(
      fc.property(fc.array(draft, { minLength: 1, maxLength: 5 }), (drafts) => {
        const buffer = new ReplayBuffer();
        const client = clientOf(buffer);
        for (const [index, { batches, receivedAt }] of drafts.entries()) {
          // Grows while it is received; the last draft completes.
          const sent = { batches: [] as string[][] };
          const isLast = index === drafts.length - 1;
          for (const count of receivedAt.sort()) {
            sent.batches.push(...batches.slice(sent.batches.length, count));
            const before = client.text();
            const restarts = client.restarts();
            client.sent.push(...buffer.deltas(sent, false));
            const text = sent.batches.flat().join("");
            if (before.startsWith(text) || text.startsWith(before)) expect(client.restarts()).toBe(restarts);
            expect(client.text().startsWith(text)).toBe(true);
          }
          sent.batches.push(...batches.slice(sent.batches.length));
          client.sent.push(...buffer.deltas(sent, isLast));
        }
        expect(client.text()).toBe(drafts.at(-1)?.batches.flat().join(""));
      }),
      { numRuns: 500 },
    );
  });
});
