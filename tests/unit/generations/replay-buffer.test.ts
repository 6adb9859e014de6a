import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delta } from "../../../lib/generations/chunk-batch.ts";
import { ReplayBuffer } from "../../../lib/generations/replay-buffer.ts";

/** A learner's client: appends what it is sent, and clears what it shows at a restart. */
function clientOf(transcript: ReplayBuffer) {
  const sent: Delta[] = [];
  return {
    sent,
    text: () =>
      sent
        .slice(sent.lastIndexOf("restart") + 1)
        .flat()
        .join(""),
    restarts: () => sent.filter((heard) => heard === "restart").length,
    hear: (pieces: string[][], whole = false) => {
      sent.push(...transcript.news({ pieces }, whole));
    },
  };
}

describe("what a listener hears", () => {
  it("goes on without a word where a new draft continues what was heard, however it is cut", () => {
    const client = clientOf(new ReplayBuffer());
    client.hear([["Hel", "lo, "], ["A"]]);
    client.hear([["H"], ["ello", ", Ad"], ["a."]], true);
    expect(client.sent).toEqual([["Hel", "lo, "], ["A"], ["d"], ["a."]]);
  });

  it("begins anew where a new draft says something else, from its first chunk", () => {
    const client = clientOf(new ReplayBuffer());
    client.hear([["Hello, "], ["Ada."]]);
    client.hear([["Hello, "], ["Ben."]]);
    expect(client.sent).toEqual([["Hello, "], ["Ada."], "restart", ["Hello, "], ["Ben."]]);
  });

  it("begins anew where the whole answer is shorter than what was heard, and not before it is whole", () => {
    const client = clientOf(new ReplayBuffer());
    client.hear([["Hello, Ada."]]);
    const pieces = [["Hello"]];
    client.hear(pieces);
    expect(client.restarts()).toBe(0);
    client.hear(pieces, true);
    expect(client.sent.slice(1)).toEqual(["restart", ["Hello"]]);
  });

  it("hears each piece once that comes while the ones before it are passed on", () => {
    const transcript = new ReplayBuffer();
    const pieces = [["Good"], [" day"]];
    const first = { pieces };
    const client = clientOf(transcript);
    client.sent.push(...transcript.news({ pieces: [["Hello"]] }, false));
    for (const heard of transcript.news(first, false)) {
      client.sent.push(heard);
      if (pieces.length < 5) pieces.push([String(pieces.length)]);
    }
    client.sent.push(...transcript.news(first, true));
    expect(client.text()).toBe(pieces.flat().join(""));
  });

  it("is the last draft in the end, whatever was told before and however late each was heard", () => {
    const chunk = fc.stringMatching(/^[ab]{1,3}$/);
    const piece = fc.array(chunk, { minLength: 1, maxLength: 3 });
    const draft = fc.record({ pieces: fc.array(piece, { maxLength: 5 }), heardAt: fc.array(fc.nat(5)) });
    fc.assert(
      fc.property(fc.array(draft, { minLength: 1, maxLength: 5 }), (drafts) => {
        const transcript = new ReplayBuffer();
        const client = clientOf(transcript);
        for (const [index, { pieces, heardAt }] of drafts.entries()) {
          // It grows while it is heard, and the last one becomes whole.
          const told = { pieces: [] as string[][] };
          const isLast = index === drafts.length - 1;
          for (const count of heardAt.sort()) {
            told.pieces.push(...pieces.slice(told.pieces.length, count));
            const before = client.text();
            const restarts = client.restarts();
            client.sent.push(...transcript.news(told, false));
            const text = told.pieces.flat().join("");
            if (before.startsWith(text) || text.startsWith(before)) expect(client.restarts()).toBe(restarts);
            expect(client.text().startsWith(text)).toBe(true);
          }
          told.pieces.push(...pieces.slice(told.pieces.length));
          client.sent.push(...transcript.news(told, isLast));
        }
        expect(client.text()).toBe(drafts.at(-1)?.pieces.flat().join(""));
      }),
      { numRuns: 500 },
    );
  });
});
