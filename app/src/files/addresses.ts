import type { Schemas } from "learning-platform-client";

export type FileAddress = Schemas["AddressOfFile"];

/** The address of a file; null where there is none for whoever asks; undefined until that is known. */
type Entry = { address: FileAddress | null | undefined; readonly listeners: Set<() => void> };

/** So many are asked for at once. */
const mostAtOnce = 100;

/** What ends so soon is signed anew. */
const marginMs = 60_000;

export type FileAddresses = ReturnType<typeof fileAddresses>;

/**
 * Where files are read, for as long as someone shows them: what parts of a page ask for in the same moment is one request.
 * `soon` calls back once they all have asked.
 */
export function fileAddresses(
  read: (ids: number[]) => Promise<FileAddress[]>,
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
    for (let at = 0; at < ids.length; at += mostAtOnce) readSome(ids.slice(at, at + mostAtOnce));
  }

  async function readSome(ids: number[]): Promise<void> {
    const found = await read(ids).catch(() => undefined);
    const byId = new Map(found?.map((address) => [address.id, address]));
    for (const id of ids) {
      const entry = entries.get(id);
      if (!entry) continue;
      // Where the service is away an address that is known may still hold.
      entry.address = byId.get(id) ?? (found ? null : (entry.address ?? null));
      for (const listener of entry.listeners) listener();
    }
  }

  return {
    addressOf: (id: number): FileAddress | null | undefined => entries.get(id)?.address,
    /** Calls back whenever the address of a file changes, until it is told to stop. */
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
    /** Has the address of a file signed anew at once. */
    ask,
    /** Has signed anew what is shown and ends soon, or could not be read. */
    renew(): void {
      for (const [id, entry] of entries) if (entry.listeners.size > 0 && endsSoon(entry)) ask(id);
    },
    /** Another person may read other files. */
    clear(): void {
      for (const [id, entry] of entries) {
        entry.address = undefined;
        if (entry.listeners.size > 0) ask(id);
        else entries.delete(id);
      }
    },
  };
}
