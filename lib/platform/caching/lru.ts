export function memoizeLru<Key, Value>(most: number, make: (key: Key) => Value): (key: Key) => Value {
  const kept = new Map<Key, Value>();
  return (key) => {
    const value = kept.has(key) ? (kept.get(key) as Value) : make(key);
    // A Map iterates in insertion order: the least recently used key is first.
    kept.delete(key);
    kept.set(key, value);
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(oldest);
    }
    return value;
  };
}
