import type { Schemas } from "learning-platform-client";

export type SignedFileUrl = Schemas["AddressOfFile"];

/** A file's signed URL. Null if the caller has no access; undefined while it loads. */
type Entry = { address: SignedFileUrl | null | undefined; readonly listeners: Set<() => void> };

const maxFileIdsPerRequest = 100;

/** URLs that expire within this time are renewed. */
const marginMs = 60_000;

/** Cache of signed file URLs. Lookups that arrive before `soon` calls back are sent as one request. */
export function createSignedFileUrlCache(
  read: (ids: number[]) => Promise<SignedFileUrl[]>,
  soon: (work: () => void) => void,
  now: () => number = Date.now,
) {
  const entries = new Map<number, Entry>();
  let wanted = new Set<number>();

  const endsSoon = ({ address }: Entry): boolean =>
    !address || Date.parse(address.expires_at) - now() < marginMs;

  function ask(id: number): void {
    if (wanted.size === 0) soon(readWanted);
    wanted.add(id);
  }

  function readWanted(): void {
    const ids = [...wanted];
    wanted = new Set();
    for (let at = 0; at < ids.length; at += maxFileIdsPerRequest)
      readSome(ids.slice(at, at + maxFileIdsPerRequest));
  }

  async function readSome(ids: number[]): Promise<void> {
    const found = await read(ids).catch(() => undefined);
    const byId = new Map(found?.map((address) => [address.id, address]));
    for (const id of ids) {
      const entry = entries.get(id);
      if (!entry) continue;
      // If the request failed, keep the known URL: it may still be valid.
      entry.address = byId.get(id) ?? (found ? null : (entry.address ?? null));
      for (const listener of entry.listeners) listener();
    }
  }

  return {
    addressOf: (id: number): SignedFileUrl | null | undefined => entries.get(id)?.address,
    /** Calls back whenever the file's URL changes. Returns the function that unsubscribes. */
    watch(id: number, listener: () => void): () => void {
      const entry: Entry = entries.get(id) ?? { address: undefined, listeners: new Set() };
      entries.set(id, entry);
      entry.listeners.add(listener);
      if (endsSoon(entry)) ask(id);
      return () => {
        entry.listeners.delete(listener);
        if (entry.listeners.size === 0 && endsSoon(entry) && entries.get(id) === entry) entries.delete(id);
      };
    },
    ask,
    /** Renews URLs that are in use and expire soon or failed to load. */
    renew(): void {
      for (const [id, entry] of entries) if (entry.listeners.size > 0 && endsSoon(entry)) ask(id);
    },
    /** Called when the user changes: another person may have other rights. */
    clear(): void {
      for (const [id, entry] of entries) {
        entry.address = undefined;
        if (entry.listeners.size > 0) ask(id);
        else entries.delete(id);
      }
    },
  };
}
