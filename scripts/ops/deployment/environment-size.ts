/** Lambda's limit in bytes of a function's environment, names and values together. */
const maxEnvironmentBytes = 4096;

/** Why an environment is too large. Lambda rejects it only at the end of a deployment. */
export function problemOfSize(environment: Record<string, string>): string | undefined {
  const sizes = Object.entries(environment).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(name + value),
  }));
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all <= maxEnvironmentBytes) return undefined;
  const largest = sizes.toSorted((one, two) => two.bytes - one.bytes).slice(0, 3);
  const named = largest.map(({ name, bytes }) => `${name} ${bytes}`).join(", ");
  return `The settings with their names have ${all} bytes, but a function accepts ${maxEnvironmentBytes}. The largest: ${named}`;
}
