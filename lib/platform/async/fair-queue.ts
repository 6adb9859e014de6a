import type { FairQueueKey } from "./fair-queue-key.ts";

/** Networks take turns, and within them accounts. */
export class FairQueue<Item> {
  /** The first network is next. */
  readonly #networks = new Map<FairQueueKey["network"], Map<FairQueueKey["account"], Item[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(network: FairQueueKey["network"]): boolean {
    return this.#networks.has(network);
  }

  add({ network, account }: FairQueueKey, item: Item): void {
    const accounts = this.#networks.get(network) ?? new Map<FairQueueKey["account"], Item[]>();
    this.#networks.set(network, accounts);
    const items = accounts.get(account);
    if (items) items.push(item);
    else accounts.set(account, [item]);
    this.#size += 1;
  }

  take(mayGo: (network: FairQueueKey["network"]) => boolean = () => true): Item | undefined {
    for (const [network, accounts] of this.#networks) {
      if (!mayGo(network)) continue;
      for (const [account, [item]] of accounts) {
        this.remove({ network, account }, item as Item);
        moveToEnd(accounts, account);
        moveToEnd(this.#networks, network);
        return item;
      }
    }
    return undefined;
  }

  remove({ network, account }: FairQueueKey, item: Item): void {
    const accounts = this.#networks.get(network);
    const items = accounts?.get(account);
    const at = items?.indexOf(item) ?? -1;
    if (!accounts || !items || at < 0) return;
    items.splice(at, 1);
    this.#size -= 1;
    if (items.length === 0) accounts.delete(account);
    if (accounts.size === 0) this.#networks.delete(network);
  }
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
