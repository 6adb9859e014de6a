/**
 * What `make` makes of a key, made once and kept while it is among the `most` that were used last: a map that cannot
 * grow with the number of keys.
 */
export function lru<Key, Value>(most: number, make: (key: Key) => Value): (key: Key) => Value {
  const kept = new Map<Key, Value>();
  return (key) => {
    const value = kept.has(key) ? (kept.get(key) as Value) : make(key);
    // A map lists its keys as they were set: the one that was used longest ago stands first.
    kept.delete(key);
    kept.set(key, value);
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(oldest);
    }
    return value;
  };
}
