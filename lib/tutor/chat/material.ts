import { dataJsonForStudents } from "../../courses/content/student-view.ts";
import { quotePromptDashLines } from "../../platform/text/quote-fences.ts";
import { singleLine } from "../../platform/text/single-line.ts";
import { truncate } from "../../platform/text/truncate.ts";
import type { FileText } from "./file-texts.ts";
import { fileLabelsById, itemToPlainText, type UnreadPart } from "./plain-text.ts";

export type TutorReadableItem = {
  content_type: string;
  title: string;
  data_json: Record<string, unknown>;
  file_texts?: readonly FileText[];
};

/** `notRead`: the parts that it excludes. */
export type Material = { text: string; notRead: UnreadPart[] };

/**
 * An item's blocks, length in characters, and parts without text. Counts file texts that are not loaded too.
 */
export function untruncatedMaterial({ content_type, title, data_json, file_texts = [] }: TutorReadableItem) {
  const data = dataJsonForStudents(content_type, data_json);
  const told = file_texts.filter(({ content }) => content !== null);
  const labels = fileLabelsById(data);
  const { blocks, notRead } = itemToPlainText(
    content_type,
    data,
    title,
    new Set(told.map(({ file_id }) => file_id)),
  );
  const words = blocks.map(quotePromptDashLines);
  const files = told.map((file) => blocksOfFile(file, labels.get(file.file_id) ?? file.name));
  const unseen = told.map(({ characters, content }) => characters - (content ?? "").length);
  const all = [...words, ...files.flat()];
  const text = all.join("");
  // A file's text always ends with two line breaks, even if it was cut.
  const length = files.length > 0 ? text.length - 2 + sumOf(unseen) : text.trimEnd().length;
  return { blocks: all, length, notRead };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** The file's name, then its paragraphs. */
const blocksOfFile = ({ content }: FileText, label: string): string[] => [
  `[File: ${singleLine(label)}]\n`,
  ...`${quotePromptDashLines(content ?? "")}\n\n`.split(/(?<=\n\n)/),
];

/**
 * An item's material within `most` characters. Cuts after a block, or after a line of a long one, and adds a
 * note. Lists unread parts at the end.
 */
export function materialWithinLimit(item: TutorReadableItem, most: number): Material {
  const { blocks, length, notRead } = untruncatedMaterial(item);
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

/** Cuts at the end of a line or word if possible. */
function beginningOf(block: string, most: number): string {
  const shown = block.slice(0, most + 1);
  const end = Math.max(shown.lastIndexOf("\n"), shown.lastIndexOf(" "));
  return end > 0 ? block.slice(0, end) : truncate(block, most);
}

const listHead =
  "[Of the following you have read nothing, and know the names alone. Say so when you are asked about it.]";

/** As many names as fit. */
function listOf(notRead: readonly UnreadPart[], most: number): string {
  if (notRead.length === 0 || most < listHead.length) return "";
  let list = listHead;
  for (const [at, { kind, label }] of notRead.entries()) {
    const line = `\n- ${kind}: ${label}`;
    if (list.length + line.length > most) return `${list}\n- and ${notRead.length - at} more`;
    list += line;
  }
  return list;
}
