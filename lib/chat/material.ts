import { studentView } from "../content/student-view.ts";
import { quoteFences } from "../text/quote-fences.ts";
import { truncate } from "../text/truncate.ts";
import type { FileText } from "./file-texts.ts";
import { labelsOfFiles, type NotRead, plainText } from "./plain-text.ts";

/** Of a content item what its tutor is told of, with the files of it that have a text. */
export type Teachable = {
  content_type: string;
  title: string;
  data_json: Record<string, unknown>;
  file_texts?: readonly FileText[];
};

/** What the tutor is given to teach from, and what belongs to the item that it was not given. */
export type Material = { text: string; notRead: NotRead[] };

/**
 * All that an item tells in words, without a limit: the blocks of its data and of its files, how many characters they have,
 * and what they do not tell. A file's text that is not at hand counts all the same.
 */
export function wholeMaterial({ content_type, title, data_json, file_texts = [] }: Teachable) {
  const data = studentView(content_type, data_json);
  const told = file_texts.filter(({ content }) => content !== null);
  const labels = labelsOfFiles(data);
  const { blocks, notRead } = plainText(
    content_type,
    data,
    title,
    new Set(told.map(({ file_id }) => file_id)),
  );
  const words = blocks.map(quoteFences);
  const files = told.map((file) => blocksOfFile(file, labels.get(file.file_id) ?? file.name));
  const unseen = told.map(({ characters, content }) => characters - (content ?? "").length);
  const all = [...words, ...files.flat()];
  const text = all.join("");
  // A file's text ends with two breaks, wherever it was cut before.
  const length = files.length > 0 ? text.length - 2 + sumOf(unseen) : text.trimEnd().length;
  return { blocks: all, length, notRead };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** A file's text below its name, by paragraphs. */
const blocksOfFile = ({ content }: FileText, label: string): string[] => [
  `[File: ${label}]\n`,
  ...`${quoteFences(content ?? "")}\n\n`.split(/(?<=\n\n)/),
];

/**
 * An item's data as the tutor is given it, with at most so many characters. It is cut at the end of a block, or of a
 * line where one block alone is too long, and a note says so. Below it stands what of the item was not read. Every call
 * sends all of it.
 */
export function materialOf(item: Teachable, most: number): Material {
  const { blocks, length, notRead } = wholeMaterial(item);
  const text = blocks.join("").trimEnd();
  const list = listOf(notRead, Math.floor(most / 4));
  const room = most - list.length;
  if (length <= room) return { text: `${text}${text && list && "\n\n"}${list}`, notRead };
  const kept = withinLimit(blocks, room);
  const goesOn = `[The material goes on: ${length - kept.length} more characters are not shown here.]`;
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
