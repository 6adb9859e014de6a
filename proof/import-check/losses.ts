import { type DefaultTreeAdapterMap, parseFragment } from "parse5";
import type { ImportedQuestionRow } from "./importing-client.ts";

/** A file of questions in XML, with its rows of an import in order. */
export type QuestionFileWithImportRows = { name: string; text: string; rows: readonly ImportedQuestionRow[] };

/**
 * What an import of a QTI, Moodle XML or GIFT file lost without a word: a question without a row, or words and
 * pictures of a created question that are neither in its pool nor in a line about content that was left out. Pure.
 */
export function findLostQuestionContent(
  { name, text, rows }: QuestionFileWithImportRows,
  questions: readonly unknown[],
): string[] {
  const isXml = /^\s*</.test(text);
  const items = isXml ? itemsIn(text) : giftQuestionsIn(text);
  const read = rows.filter(({ outcome }) => outcome !== "ignored");
  const isRefused = read.length === 1 && read[0]?.outcome === "failed";
  if (read.length !== items.length)
    return isRefused ? [] : [`${name}: ${items.length} questions, and ${read.length} results`];
  const stored = JSON.stringify(questions);
  const created = items.flatMap((item, at) => {
    const { outcome, left_out = [] } = read[at] ?? {};
    return outcome === "created" ? [{ item: withoutNamed(item, left_out), lines: left_out }] : [];
  });
  const missing = created.flatMap(({ item, lines }) =>
    missingWords(isXml ? wordsIn(item) : textWords(textIn(item)), `${stored} ${lines.join(" ")}`),
  );
  const pictures = created.reduce((sum, { item }) => sum + picturesIn(item), 0);
  const shown = stored.match(/\]\(file:\d+\)/g)?.length ?? 0;
  return [
    ...(missing.length > 0 ? [`${name}: lost ${[...new Set(missing)].slice(0, 10).join(", ")}`] : []),
    ...(pictures > shown ? [`${name}: ${pictures} pictures, and ${shown} of them stored`] : []),
  ];
}

/** Words of speech, notes and settings of captions that are in no segment and in no line. Pure. */
export function findLostCaptionWords(
  { name, text }: Pick<QuestionFileWithImportRows, "name" | "text">,
  read: { segments: readonly { text: string }[]; left_out: readonly string[] },
): string[] {
  const told = [...read.segments.map((segment) => segment.text), ...read.left_out].join(" ");
  const missing = missingWords(textWords(textIn(text)), told);
  return missing.length > 0 ? [`${name}: lost ${missing.slice(0, 10).join(", ")}`] : [];
}

/** Words of pages and topics of a cartridge that are in no item and in no line. Pure. */
export function findLostPageWords(
  pages: readonly Pick<QuestionFileWithImportRows, "name" | "text">[],
  items: readonly unknown[],
  lines: readonly string[],
): string[] {
  const told = `${JSON.stringify(items)} ${lines.join(" ")}`;
  return pages.flatMap(({ name, text }) => {
    const missing = missingWords(
      textWords(textIn(withoutNamed(text, ["script", "style", "title", ...lines]))),
      told,
    );
    return missing.length > 0 ? [`${name}: lost ${missing.slice(0, 10).join(", ")}`] : [];
  });
}

const missingWords = (words: readonly string[], told: string): string[] => {
  const held = told.toLowerCase();
  return [...new Set(words)].filter((word) => !held.includes(word));
};

const feedback = [
  ...["feedback", "itemfeedback", "modalFeedback", "qti-modal-feedback"],
  ...["correctfeedback", "partiallycorrectfeedback", "incorrectfeedback"],
];

/** Without the elements that lines name, such as `3: table`, and without feedback that a line reports. */
function withoutNamed(item: string, lines: readonly string[]): string {
  const named = lines.flatMap((line) => /^(?:\d+: )?([A-Za-z][\w:-]*)$/.exec(line)?.[1] ?? []);
  const hasFeedback = lines.some((line) => /feedback/i.test(line));
  return [...named, ...(hasFeedback ? feedback : [])].reduce(
    (rest, element) => rest.replaceAll(new RegExp(`<(${element})[\\s>][\\s\\S]*?</\\1>`, "gi"), " "),
    hasFeedback ? item.replaceAll(/(?<![\\#])#(?!#)[^~=}]*/g, " ") : item,
  );
}

/** Without comments, categories and titles. Weights and signs of answers are no words. */
const giftQuestionsIn = (text: string): string[] =>
  text
    .split(/\r\n|\n|\r/)
    .map((line) => (/^\s*(\/\/|\$CATEGORY:)/i.test(line) ? "" : line.trim()))
    .join("\n")
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== "")
    .map((block) =>
      block
        .replace(/^\s*::(?:\\.|[^\\:]|:(?!:))*::/, "")
        .replace(/^\s*\[(?:html|moodle|plain|markdown)\]/i, "")
        .replace(/\{\s*(?:T|TRUE|F|FALSE)(?=\s*[#}])/i, "{"),
    );

const forms = [
  /<(?:\w+:)?assessmentItem[\s>][\s\S]*?<\/(?:\w+:)?assessmentItem>/g,
  /<qti-assessment-item[\s>][\s\S]*?<\/qti-assessment-item>/g,
  /<question\s(?![^>]*type="category")[^>]*>[\s\S]*?<\/question>/g,
];

const itemsIn = (text: string): string[] => {
  const isOld = /<(?:\w+:)?questestinterop[\s>]/.test(text);
  const wanted = isOld ? [/<(?:\w+:)?item[\s>][\s\S]*?<\/(?:\w+:)?item>/g] : forms;
  return wanted.flatMap((form) => Array.from(text.matchAll(form), ([item]) => item));
};

const bodies =
  /<((?:\w+:)?(?:itemBody|modalFeedback|presentation|itemfeedback|questiontext|answer)|qti-item-body|qti-modal-feedback)[\s>][\s\S]*?<\/\1>/g;

/** Markup within markup, as in `mattext`, is read too. */
function wordsIn(item: string): string[] {
  const body = Array.from(item.matchAll(bodies), ([found]) => withoutCdata(found)).join(" ");
  return textWords(textIn(textIn(body)));
}

const textWords = (text: string): string[] => text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];

const withoutCdata = (text: string): string =>
  text
    .replaceAll(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, inner: string) =>
      inner.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
    )
    // HTML has no empty elements of other names.
    .replaceAll(/<([\w:-]+)((?:\s[^<>]*)?)\/>/g, "<$1$2></$1>");

type Node = DefaultTreeAdapterMap["childNode"];

const textIn = (markup: string): string => textOf(parseFragment(markup).childNodes);

function textOf(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if ("value" in node) return node.nodeName === "#text" ? node.value : " ";
      return "childNodes" in node ? textOf(node.childNodes) : " ";
    })
    .join(" ");
}

/** Pictures but formulas, which become text. */
const picturesIn = (item: string): number =>
  (item.match(/(?:<|&lt;)img\s(?:(?!&gt;|>)[\s\S])*/g) ?? []).filter((tag) => !/equation/.test(tag)).length;
