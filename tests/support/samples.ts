/** The value of a sample with that name and labels in Prometheus's text format. 0 if there is none. */
export function sampleOf(text: string, sample: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${sample} `));
  return line ? Number(line.slice(sample.length + 1)) : 0;
}
