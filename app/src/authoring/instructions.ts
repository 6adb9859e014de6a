import { type ContentData, objectsInListAtPath, withValueAtPath } from "./at-path.ts";

/** An assignment's instructions and the blocks below them, as one text. */
export function instructionsAsBlocks(data: ContentData): ContentData[] {
  const { instructions } = data;
  const first =
    typeof instructions === "string" && instructions !== ""
      ? [{ type: "paragraph", text: instructions }]
      : [];
  return [...first, ...objectsInListAtPath(data, "blocks")];
}

/** Markdown before the first formula or picture is the instructions. What follows is stored as blocks. */
export function withInstructionsFromBlocks(data: ContentData, blocks: readonly ContentData[]): ContentData {
  const end = blocks.findIndex(({ type }) => type !== "paragraph");
  const first = end < 0 ? blocks : blocks.slice(0, end);
  const rest = blocks.slice(first.length);
  const instructions = first.map(({ text }) => text).join("\n\n") || undefined;
  const changed = withValueAtPath(data, "instructions", instructions);
  return withValueAtPath(changed, "blocks", rest.length > 0 ? rest : undefined);
}
