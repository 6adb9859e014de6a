import { truncate } from "../text/truncate.ts";

/**
 * An item's data as the tutor is given it, with at most so many characters: cut where a block ends, or where a line
 * does when one block is longer, with a note that says so. Every call sends it all. Empty where there is none.
 */
export function materialOf(data: Record<string, unknown> | null | undefined, most: number): string {
  if (!data) return "";
  const text = JSON.stringify(data, null, 2);
  if (text.length <= most) return text;
  const kept = truncate(text, endBefore(text, most));
  return `${kept}\n[The material goes on: ${text.length - kept.length} more characters are not shown here.]`;
}

/** Blocks are the entries of the lists at the top, which are indented by four. */
const endOfBlock = /\n {4}[}\]],?(?=\n)/g;

function endBefore(text: string, most: number): number {
  const shown = text.slice(0, most + 1);
  const block = [...shown.matchAll(endOfBlock)].at(-1);
  if (block) return block.index + block[0].length;
  const line = shown.lastIndexOf("\n");
  return line > 1 ? line : most;
}
