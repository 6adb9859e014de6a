import { PlatformError } from "learning-platform-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAnswerAutosaver } from "../../../app/src/content/answer-autosaver.ts";
import type {
  AttemptQuestionResponse,
  UnsavedQuestionAnswer,
} from "../../../app/src/content/unsaved-answers.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A saver with a controlled service, and a store that outlives it. */
function open(store = new Map<number, UnsavedQuestionAnswer>()) {
  const sent: { given: [number, AttemptQuestionResponse][]; take(): void; fail(error: unknown): void }[] = [];
  const waits: number[] = [];
  const back = { online: () => {} };
  const saver = createAnswerAutosaver({
    send(given) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      sent.push({
        given: given.map(({ question_id, response }) => [question_id, response]),
        take: resolve,
        fail: reject,
      });
      return promise;
    },
    wait(ms) {
      waits.push(ms);
      return new Promise<void>((resolve) => {
        back.online = resolve;
      });
    },
    store: {
      read: () => [...store],
      write: (id, one) => void (one ? store.set(id, one) : store.delete(id)),
    },
  });
  return { saver, sent, waits, back, store };
}

const rest = () => vi.advanceTimersByTimeAsync(600);
const refused = (status: number) => new PlatformError(new Response(null, { status }), { detail: "No" });

describe("answers that are saved as they change", () => {
  it("are sent once nothing follows for a moment, the newest of each question alone", async () => {
    const { saver, sent, store } = open();
    saver.put(1, "a", "a");
    await vi.advanceTimersByTimeAsync(400);
    saver.put(1, "ab", "ab");
    saver.put(2, true, true);
    await rest();
    expect(sent.map(({ given }) => given)).toEqual([[[1, "ab"], [2, true]]]); // biome-ignore format: a table
    sent[0]?.take();
    await rest();
    expect([saver.unsaved().size, store.size, sent.length]).toEqual([0, 0, 1]);
  });

  it("never overtake each other, and later changes follow", async () => {
    const { saver, sent } = open();
    saver.put(1, "a", "a");
    await rest();
    saver.put(1, "b", "b");
    await rest();
    expect(sent).toHaveLength(1);
    sent[0]?.take();
    await rest();
    expect(sent[1]?.given).toEqual([[1, "b"]]);
    expect(saver.unsaved().size).toBe(1);
  });

  it("are retried with growing pauses, or immediately when the network is back", async () => {
    const { saver, sent, waits, back } = open();
    saver.put(1, "a", "a");
    await rest();
    for (let tries = 0; tries < 7; tries++) {
      sent[tries]?.fail(new TypeError("Failed to fetch"));
      await rest();
      expect(saver.fault()).toBeInstanceOf(TypeError);
      back.online();
      await rest();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    sent[7]?.take();
    await rest();
    expect([saver.unsaved().size, saver.fault()]).toEqual([0, undefined]);
  });

  it("are not sent again when the service refused them, until they change", async () => {
    const { saver, sent, waits } = open();
    saver.put(1, "a", "a");
    await rest();
    sent[0]?.fail(refused(403));
    await rest();
    expect([sent.length, waits.length, saver.unsaved().size]).toEqual([1, 0, 1]);
    saver.put(1, "b", "b");
    await rest();
    expect(sent[1]?.given).toEqual([[1, "b"]]);
  });

  it.each([408, 409, 425, 429, 500, 503])("are sent again after a %i", async (status) => {
    const { saver, sent, back } = open();
    saver.put(1, "a", "a");
    await rest();
    sent[0]?.fail(refused(status));
    await rest();
    back.online();
    await rest();
    expect(sent).toHaveLength(2);
  });

  it("keep invalid input as typed, without sending it", async () => {
    const { saver, sent, store } = open();
    saver.put(1, "1,234", undefined);
    await rest();
    expect(sent).toEqual([]);
    expect(store.get(1)).toEqual({ typed: "1,234", over: [null] });
  });

  it("are sent when the page ends, except for those being sent", async () => {
    const { saver, sent } = open();
    saver.put(1, "a", "a");
    await rest();
    saver.put(2, "b", "b");
    saver.sendAway();
    expect(sent.map(({ given }) => given)).toEqual([[[1, "a"]], [[2, "b"]]]);
  });

  it("report immediately why they cannot be saved now", async () => {
    const { saver, sent } = open();
    saver.put(1, "a", "a");
    const saving = saver.saveNow();
    await vi.advanceTimersByTimeAsync(0);
    sent[0]?.fail(refused(400));
    await expect(saving).rejects.toThrow("No");
  });
});

describe("unsaved answers of an earlier visit", () => {
  /** The state after a page ends with two changes, one of them sent. */
  async function left() {
    const { saver, sent, store } = open();
    saver.learn([{ question_id: 1, response: "before" }]);
    saver.put(1, "first", "first");
    await rest();
    sent[0]?.fail(new TypeError("Failed to fetch"));
    saver.put(1, "second", "second");
    saver.stop();
    return store;
  }

  it.each([
    ["the former answer", "before", 1],
    ["the first answer that was sent", "first", 1],
    ["the same answer", "second", 0],
    ["a later answer from elsewhere", "elsewhere", 0],
  ])("are sent only if they are newer: the service has %s", async (_, there, unsaved) => {
    const { saver, sent } = open(await left());
    saver.reconcile([{ question_id: 1, response: there }]);
    saver.hurry();
    await rest();
    expect(saver.unsaved().size).toBe(unsaved);
    expect(sent.map(({ given }) => given)).toEqual(unsaved ? [[[1, "second"]]] : []);
  });

  it("exclude questions that are not in the attempt", async () => {
    const { saver } = open(await left());
    saver.reconcile([{ question_id: 2, response: null }]);
    expect(saver.unsaved().size).toBe(0);
  });
});
