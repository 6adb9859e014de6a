import { type DefaultTreeAdapterMap, parseFragment } from "parse5";
import type { ImportedRow } from "./importing-client.ts";

/** A file of questions in XML, with its rows of an import in order. */
export type ReadFile = { name: string; text: string; rows: readonly ImportedRow[] };

/**
 * What an import of a QTI or Moodle XML file lost without a word: a question without a row, or words and pictures
 * of a created question that its pool lacks. Questions with a line about content that was left out are trusted.
 * Pure.
 */
export function findSilentLosses({ name, text, rows }: ReadFile, questions: readonly unknown[]): string[] {
  const items = itemsIn(text);
  const read = rows.filter(({ outcome }) => outcome !== "ignored");
  const isRefused = read.length === 1 && read[0]?.outcome === "failed";
  if (read.length !== items.length)
    return isRefused ? [] : [`${name}: ${items.length} questions, and ${read.length} results`];
  const stored = JSON.stringify(questions);
  const words = stored.toLowerCase();
  const whole = items.filter((_, at) => read[at]?.outcome === "created" && read[at]?.left_out.length === 0);
  const missing = whole.flatMap((item) => wordsIn(item).filter((word) => !words.includes(word)));
  const pictures = whole.reduce((sum, item) => sum + picturesIn(item), 0);
  const shown = stored.match(/\]\(file:\d+\)/g)?.length ?? 0;
  return [
    ...(missing.length > 0 ? [`${name}: lost ${[...new Set(missing)].slice(0, 10).join(", ")}`] : []),
    ...(pictures > shown ? [`${name}: ${pictures} pictures, and ${shown} of them stored`] : []),
  ];
}

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
  const text = textIn(textIn(body));
  return [...new Set(text.toLowerCase().match(/[\p{L}\d]{3,}/gu) ?? [])];
}

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
