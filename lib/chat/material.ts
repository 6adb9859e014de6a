import { studentView } from "../content/student-view.ts";
import { truncate } from "../text/truncate.ts";
import { type NotRead, type PlainText, plainText } from "./plain-text.ts";

/** Of a content item what its tutor is told of. */
export type Teachable = { content_type: string; title: string; data_json: Record<string, unknown> };

/** What the tutor is given to teach from, and what belongs to the item that it was not given. */
export type Material = { text: string; notRead: NotRead[] };

/**
 * All that an item's data tells in words, without a limit: its blocks, and what they do not tell. A line that begins with
 * three dashes or more stands behind `> `, as such lines are what the prompt ends the material with.
 */
export function wholeMaterial({ content_type, title, data_json }: Teachable): PlainText {
  const { blocks, notRead } = plainText(content_type, studentView(content_type, data_json), title);
  return { blocks: blocks.map(withoutFences), notRead };
}

/** Line breaks of every kind are one, and dashes of any length are dashes. */
const withoutFences = (text: string): string =>
  text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n").replace(/^(?=[^\S\n]*[\p{Pd}\u2212]{3})/gmu, "> ");

/**
 * An item's data as the tutor is given it, with at most so many characters: cut where a block ends, or within one that is
 * long by itself where a line does, with a note that says so. Below it stands what of the item was not read. Every call
 * sends it all.
 */
export function materialOf(item: Teachable, most: number): Material {
  const { blocks, notRead } = wholeMaterial(item);
  const text = blocks.join("").trimEnd();
  const list = listOf(notRead, Math.floor(most / 4));
  const room = most - list.length;
  if (text.length <= room) return { text: `${text}${text && list && "\n\n"}${list}`, notRead };
  const kept = withinLimit(blocks, room);
  const goesOn = `[The material goes on: ${text.length - kept.length} more characters are not shown here.]`;
  return {
    text: [kept, goesOn, list].filter(Boolean).join("\n\n"),
    notRead: [...notRead, { label: item.title, kind: "rest" }],
  };
}

/** As many blocks as fit, and of a long one that does not fit its beginning. */
function withinLimit(blocks: readonly string[], most: number): string {
  let kept = "";
  for (const block of blocks) {
    const room = most - kept.length;
    if (block.trimEnd().length <= room) {
      kept += block.slice(0, room);
      continue;
    }
    if (block.length > most / 4) kept += beginningOf(block, room);
    break;
  }
  return kept.trimEnd();
}

/** Up to the end of a line, or of a word, or what fits. */
function beginningOf(block: string, most: number): string {
  const shown = block.slice(0, most + 1);
  const end = Math.max(shown.lastIndexOf("\n"), shown.lastIndexOf(" "));
  return end > 0 ? block.slice(0, end) : truncate(block, most);
}

const listHead =
  "[Of the following you have read nothing, and know the names alone. Say so when you are asked about it.]";

/** The names of what was not read, as many as fit. */
function listOf(notRead: readonly NotRead[], most: number): string {
  if (notRead.length === 0 || most < listHead.length) return "";
  let list = listHead;
  for (const [at, { kind, label }] of notRead.entries()) {
    const line = `\n- ${kind}: ${label}`;
    if (list.length + line.length > most) return `${list}\n- and ${notRead.length - at} more`;
    list += line;
  }
  return list;
}
