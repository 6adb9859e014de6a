import { afterEach, describe, expect, it, vi } from "vitest";
import { createDraftStorage } from "../../../app/src/draft-storage.ts";

/** A browser's storage with room for so many characters. */
function storageOf(room = Infinity): Storage {
  const kept: Record<string, string> = {};
  const own = {
    getItem: (key: string) => kept[key] ?? null,
    setItem(key: string, value: string) {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      kept[key] = value;
    },
    removeItem: (key: string) => void delete kept[key],
  };
  return new Proxy(own as unknown as Storage, {
    ownKeys: () => Object.keys(kept),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a browser's drafts", () => {
  it("are found again by their person and thing alone", () => {
    const storage = storageOf();
    const drafts = createDraftStorage("here", () => storage);
    expect(drafts.write(1, "work 7", { body: "An essay" })).toBe(true);
    const again = createDraftStorage("here", () => storage);
    expect(again.read(1, "work 7")?.value).toEqual({ body: "An essay" });
    for (const [person, thing] of [[2, "work 7"], [1, "work 8"], [11, "work 7"]] as const) // biome-ignore format: a table
      expect(again.read(person, thing)).toBeUndefined();
    expect(createDraftStorage("elsewhere", () => storage).read(1, "work 7")).toBeUndefined();
  });

  it("are counted and removed for one person, and leave all else", () => {
    const storage = storageOf();
    storage.setItem("tokens of here", "kept");
    const drafts = createDraftStorage("here", () => storage);
    drafts.write(1, "a", 1);
    drafts.write(1, "b", 2);
    drafts.write(11, "a", 3);
    expect(drafts.count(1)).toBe(2);
    drafts.remove(1, "a");
    expect(drafts.count(1)).toBe(1);
    drafts.removeAll(1);
    expect([drafts.count(1), drafts.count(11), storage.getItem("tokens of here")]).toEqual([0, 1, "kept"]);
  });

  it("are deleted after 30 days", () => {
    vi.useFakeTimers({ now: new Date("2026-03-01T12:00:00Z") });
    const storage = storageOf();
    createDraftStorage("here", () => storage).write(1, "old", "words");
    vi.setSystemTime(new Date("2026-03-31T11:59:00Z"));
    expect(createDraftStorage("here", () => storage).count(1)).toBe(1);
    vi.setSystemTime(new Date("2026-03-31T12:01:00Z"));
    expect(createDraftStorage("here", () => storage).count(1)).toBe(0);
  });

  it("are not stored without space or storage, and nothing breaks", () => {
    const full = createDraftStorage("here", () => storageOf(10));
    expect(full.write(1, "long", "x".repeat(100))).toBe(false);
    const none = createDraftStorage("here", () => {
      throw new DOMException("denied", "SecurityError");
    });
    expect([none.write(1, "a", 1), none.read(1, "a"), none.count(1)]).toEqual([false, undefined, 0]);
    const storage = storageOf();
    storage.setItem("draft of here 1 broken", "{");
    expect(createDraftStorage("here", () => storage).read(1, "broken")).toBeUndefined();
  });
});
