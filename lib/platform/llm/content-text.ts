/** Others are reasoning, citations or tools. */
const spokenTypes: readonly unknown[] = [undefined, "text", "output_text", "text_delta"];

/** Of texts, thoughts and parts of both, however nested. Encrypted thoughts and signatures count nothing. */
export function countCharacters(said: unknown): number {
  if (typeof said === "string") return said.length;
  if (Array.isArray(said)) return said.reduce((sum: number, part) => sum + countCharacters(part), 0);
  if (typeof said !== "object" || said === null) return 0;
  const { text, thinking, summary } = said as Record<string, unknown>;
  return countCharacters(text ?? thinking ?? summary);
}

/** Servers send a string, a part, or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(contentText).join("");
  if (typeof content !== "object" || content === null) return "";
  const { type, text } = content as { type?: unknown; text?: unknown };
  return spokenTypes.includes(type) && typeof text === "string" ? text : "";
}
