/** Others are reasoning, citations or tools. */
const spokenTypes: readonly unknown[] = [undefined, "text", "output_text", "text_delta"];

/** Servers send a string, a part, or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(contentText).join("");
  if (typeof content !== "object" || content === null) return "";
  const { type, text } = content as { type?: unknown; text?: unknown };
  return spokenTypes.includes(type) && typeof text === "string" ? text : "";
}
