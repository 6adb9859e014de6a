/**
 * Caches `make`'s value for as long as the key object lives. The further arguments count on the first call
 * only.
 */
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
