/** Caches while the key object lives. Further arguments count only on the first call. */
export function memoize<Key extends WeakKey, More extends unknown[], Value>(
  make: (key: Key, ...more: More) => Value,
): (key: Key, ...more: More) => Value {
  const made = new WeakMap<Key, { value: Value }>();
  return (key, ...more) => {
    const known = made.get(key) ?? { value: make(key, ...more) };
    made.set(key, known);
    return known.value;
  };
}
