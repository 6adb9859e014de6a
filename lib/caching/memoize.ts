/**
 * What `make` makes of an object, made when it is first asked for and kept for as long as the object lives. What is
 * given beside the object counts that first time alone.
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
