/** Something that is not as it should be. */
class Unexpected extends Error {}

/** Throws `Unexpected` with this message unless the condition holds. */
export function expect(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Unexpected(message);
}
