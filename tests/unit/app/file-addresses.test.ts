import { describe, expect, it } from "vitest";
import { createSignedFileUrlCache, type SignedFileUrl } from "../../../app/src/files/file-url-cache.ts";

const begin = Date.parse("2026-03-10T12:00:00Z");

function open() {
  const state = { now: begin, isAway: false, missing: new Set<number>() };
  const asked: number[][] = [];
  const works: (() => void)[] = [];
  const read = async (ids: number[]): Promise<SignedFileUrl[]> => {
    asked.push(ids);
    if (state.isAway) throw new TypeError("Failed to fetch");
    const expires_at = new Date(state.now + 300_000).toISOString();
    return ids
      .filter((id) => !state.missing.has(id))
      .map((id) => ({
        ...{ id, name: `${id}.png`, media_type: "image/png", size: 1, expires_at },
        url: `https://store.invalid/${id}?at=${state.now - begin}`,
      }));
  };
  const addresses = createSignedFileUrlCache(
    read,
    (work) => works.push(work),
    () => state.now,
  );
  /** Runs the batch of queued requests. */
  const gather = async () => {
    for (const work of works.splice(0)) work();
    await new Promise(setImmediate);
  };
  return { state, asked, addresses, gather };
}

describe("the URLs of a page's files", () => {
  it("are read in one request, each once, and a hundred at most in one", async () => {
    const { addresses, asked, gather } = open();
    const told: number[] = [];
    for (const id of [1, 2, 1]) addresses.watch(id, () => told.push(id));
    await gather();
    expect(asked).toEqual([[1, 2]]);
    expect(told.sort()).toEqual([1, 1, 2]);
    expect(addresses.addressOf(2)?.url).toBe("https://store.invalid/2?at=0");
    for (let id = 100; id < 350; id += 1) addresses.watch(id, () => {});
    await gather();
    expect(asked.slice(1).map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  it("are shared by equal files, and signed again before they expire", async () => {
    const { addresses, asked, gather, state } = open();
    const stop = addresses.watch(1, () => {});
    await gather();
    stop();
    addresses.watch(1, () => {});
    addresses.renew();
    await gather();
    expect(asked).toEqual([[1]]);
    state.now += 241_000;
    addresses.renew();
    await gather();
    expect(asked).toEqual([[1], [1]]);
    expect(addresses.addressOf(1)?.url).toBe("https://store.invalid/1?at=241000");
  });

  it("are not signed again once no file is shown", async () => {
    const { addresses, asked, gather, state } = open();
    const stop = addresses.watch(1, () => {});
    await gather();
    stop();
    state.now += 299_000;
    addresses.renew();
    await gather();
    expect(asked).toEqual([[1]]);
  });

  it("are null for a missing file, which is looked up again, and stay while the service is unavailable", async () => {
    const { addresses, gather, state } = open();
    state.missing.add(2);
    addresses.watch(1, () => {});
    addresses.watch(2, () => {});
    expect(addresses.addressOf(1)).toBeUndefined();
    await gather();
    expect(addresses.addressOf(2)).toBeNull();
    state.missing.clear();
    state.isAway = true;
    state.now += 290_000;
    addresses.renew();
    await gather();
    expect([addresses.addressOf(1)?.id, addresses.addressOf(2)]).toEqual([1, null]);
    state.isAway = false;
    addresses.renew();
    await gather();
    expect(addresses.addressOf(2)?.id).toBe(2);
  });

  it("are dropped when another user signs in, and requested again", async () => {
    const { addresses, asked, gather, state } = open();
    addresses.watch(1, () => {});
    addresses.watch(2, () => {})();
    await gather();
    state.missing.add(1);
    addresses.clear();
    expect(addresses.addressOf(1)).toBeUndefined();
    await gather();
    expect([asked.at(-1), addresses.addressOf(1)]).toEqual([[1], null]);
  });
});
