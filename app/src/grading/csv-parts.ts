/** Offsets of line ends. Quoted values may contain line breaks. */
function endsIn(csv: string): number[] {
  const ends: number[] = [];
  let isQuoted = false;
  for (let at = 0; at < csv.length; at++) {
    if (csv[at] === '"') isQuoted = !isQuoted;
    else if (csv[at] === "\n" && !isQuoted) ends.push(at + 1);
  }
  return ends;
}

export const countCsvDataRows = (csv: string): number => Math.max(0, endsIn(csv).length - 1);

export const joinCsvDroppingHeaders = (parts: readonly string[]): string =>
  parts.map((csv, at) => (at === 0 ? csv : csv.slice(endsIn(csv)[0]))).join("");
