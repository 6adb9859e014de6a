class Unexpected extends Error {}

/** Throws `Unexpected` with this message unless the condition is true. */
export function expect(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Unexpected(message);
}
