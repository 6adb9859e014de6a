/** The most bytes that the names and values of a function's environment may have together. */
const largestEnvironment = 4096;

/** What is wrong with the size of an environment: Lambda refuses a larger one, but only after all else was done. */
export function problemOfSize(environment: Record<string, string>): string | undefined {
  const sizes = Object.entries(environment).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(name + value),
  }));
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all <= largestEnvironment) return undefined;
  const largest = sizes.toSorted((one, two) => two.bytes - one.bytes).slice(0, 3);
  const named = largest.map(({ name, bytes }) => `${name} ${bytes}`).join(", ");
  return `The settings have ${all} bytes with their names, and a function takes ${largestEnvironment}. The largest: ${named}`;
}
