/** Where each line ends; within quotes it may break. */
function endsIn(csv: string): number[] {
  const ends: number[] = [];
  let isQuoted = false;
  for (let at = 0; at < csv.length; at++) {
    if (csv[at] === '"') isQuoted = !isQuoted;
    else if (csv[at] === "\n" && !isQuoted) ends.push(at + 1);
  }
  return ends;
}

/** How many lines come after the heading. */
export const linesIn = (csv: string): number => Math.max(0, endsIn(csv).length - 1);

/** One file of several that begin with the same heading. */
export const joinedCsv = (parts: readonly string[]): string =>
  parts.map((csv, at) => (at === 0 ? csv : csv.slice(endsIn(csv)[0]))).join("");
