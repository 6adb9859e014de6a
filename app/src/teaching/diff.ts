export type DiffLine = { kind: "same" | "added" | "removed"; text: string };

/** Longer texts are too slow to diff and are shown as replaced. */
const maxDiffCells = 4_000_000;

/** A line diff by longest common subsequence. */
export function diffTextLines(before: string, after: string): DiffLine[] {
  const [old, next] = [before.split("\n"), after.split("\n")];
  const removed = (text = ""): DiffLine => ({ kind: "removed", text });
  const added = (text = ""): DiffLine => ({ kind: "added", text });
  if (old.length * next.length > maxDiffCells) return [...old.map(removed), ...next.map(added)];
  const common = commonLengths(old, next);
  const at = (row: number, column: number) => common[row * (next.length + 1) + column] ?? 0;
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < next.length) {
    if (old[row] === next[column]) {
      lines.push({ kind: "same", text: old[row] ?? "" });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push(removed(old[row]));
      row += 1;
    } else {
      lines.push(added(next[column]));
      column += 1;
    }
  }
  return [...lines, ...old.slice(row).map(removed), ...next.slice(column).map(added)];
}

/** The length of the longest common subsequence for each pair of suffixes, in rows. */
function commonLengths(old: string[], next: string[]): Uint32Array {
  const width = next.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = next.length - 1; column >= 0; column -= 1) {
      const diagonal = lengths[(row + 1) * width + column + 1] ?? 0;
      const below = lengths[(row + 1) * width + column] ?? 0;
      const beside = lengths[row * width + column + 1] ?? 0;
      lengths[row * width + column] = old[row] === next[column] ? diagonal + 1 : Math.max(below, beside);
    }
  return lengths;
}
