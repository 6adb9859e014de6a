import { mathmlToLatex } from "../../platform/readers/mathml.ts";
import { escapeMarkdown } from "../../platform/text/escape-markdown.ts";
import { fencedCode } from "../../platform/text/fenced-code.ts";
import {
  escapeLineStarts,
  escapeText,
  markdownToPlainText,
  plainTextToMarkdown,
} from "../../platform/text/plain-text-markdown.ts";
import { mergeDigitsIntoFormulas, ruby, subscript, superscript } from "../../platform/text/scripts.ts";
import { type Element, element, type Node } from "./xml.ts";

/** Elements that start and end a paragraph. */
const apart = /^(p|div|li|ul|ol|dl|dt|dd|table|tr|blockquote|prompt|h[1-6])$/;

/** Plain text cannot represent these, or only in part. */
const unsaid = /^(object|audio|video|table|svg)$/;

/** Markup that has no meaning without text. Other empty elements mean something that a text cannot say. */
const formatting = new Set([
  ...[
    "a",
    "abbr",
    "acronym",
    "b",
    "bdi",
    "bdo",
    "big",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
  ],
  ...[
    "del",
    "dfn",
    "em",
    "figcaption",
    "figure",
    "font",
    "hr",
    "i",
    "ins",
    "kbd",
    "label",
    "mark",
    "q",
    "rb",
  ],
  ...[
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
  ],
  ...["time", "tt", "u", "var", "wbr"],
]);

/** Classes that `plainTextToQti` writes: Markdown, and text that only needs escapes in Markdown. */
const markdownClass = "markdown";
const textClass = "text";

/** A text entry within a sentence. */
const gap = "____";

/** `plain` becomes Markdown by escapes, and `markdown` is tidied. */
type Mode = "plain" | "markdown" | "verbatim";

type Part = { text: string; mode: Mode };

export type QtiToPlainTextCallbacks = {
  /** Receives the names of elements that the text cannot represent. */
  leaveOut: (what: string) => void;
  /** Receives the names of unknown elements without text. Default: `leaveOut`. */
  lose?: (what: string) => void;
  /** The text for a picture by address and description; undefined if it is lost. */
  pictureAt?: (address: string, caption: string) => string | undefined;
  /** Elements that are not part of the text. */
  skips?: (one: Element) => boolean;
  /** The texts are Markdown, unless their class says otherwise. */
  isMarkdown?: boolean;
};

/** Markdown. An empty line separates paragraphs. */
export function qtiToPlainText(nodes: readonly Node[], reading: QtiToPlainTextCallbacks): string {
  const { leaveOut, lose = leaveOut, pictureAt, skips = () => false, isMarkdown = false } = reading;
  const parts: Part[] = [];
  let mode: Mode = isMarkdown ? "markdown" : "plain";
  const begin = (text = "", of = mode) => parts.push({ text, mode: of });
  const say = (more: string) => {
    const last = parts.at(-1);
    if (last?.mode === mode) last.text += more;
    else begin(more);
  };
  const escaped = (text: string): string => (mode === "plain" ? escapeText(text) : text);
  const read = (node: Node): void => {
    if (typeof node === "string") say(escaped(node.replaceAll(/[ \t\r\n]+/g, " ")));
    else if (node.name === "textEntryInteraction") say(gap);
    else if (skips(node)) return;
    else if (node.name === "pre") begin(preformatted(node), "verbatim");
    else if (node.name === "br") say("\n");
    else if (node.name === "math") formula(node);
    else if (isPicture(node)) picture(node);
    else if (node.name === "sup") say(superscript(inline(node)));
    else if (node.name === "sub") say(subscript(inline(node)));
    else if (node.name === "rp") return;
    else if (node.name === "rt") say(ruby("", escaped(inline(node))));
    else if (/^(del|s|strike)$/.test(node.name)) struck(node);
    else readElement(node);
  };
  // Unescaped, as formulas and captions need it.
  const inline = ({ children }: Element): string =>
    qtiToPlainText(children, { ...reading, isMarkdown: true });
  const formula = (math: Element): void => {
    const latex = mathmlToLatex(math);
    if (latex === undefined) leaveOut("math");
    say(latex === undefined ? escaped(math.attributes["alttext"] ?? "") : `$${latex}$`);
  };
  const picture = (one: Element): void => {
    const caption = one.attributes["alt"] ?? inline(one);
    const shown = pictureAt?.(one.attributes["src"] ?? one.attributes["data"] ?? "", caption);
    if (shown === undefined) leaveOut("img");
    say(shown ?? escaped(caption));
  };
  const struck = (one: Element): void => {
    const text = qtiToPlainText(one.children, { ...reading, isMarkdown: mode === "markdown" });
    if (text === "" || text.includes("\n\n")) {
      if (text !== "") leaveOut(one.name);
      readElement(one);
      return;
    }
    const raw = verbatim(one);
    const [before, after] = [raw.trimStart(), raw.trimEnd()].map((rest) => (rest === raw ? "" : " "));
    say(`${before}~~${text.replaceAll("~~", "")}~~${after}`);
  };
  const readElement = (one: Element): void => {
    const { name, children } = one;
    if (name === "ol" || isLink(one)) leaveOut(name);
    if (unsaid.test(name)) leaveOut(name);
    else if (!apart.test(name) && !formatting.has(name) && isEmpty(one)) lose(name.slice(0, 50));
    const around = mode;
    if (apart.test(name)) {
      mode = modeOf(one, mode);
      begin();
    }
    children.forEach(read);
    mode = around;
    if (apart.test(name)) begin();
  };
  nodes.forEach(read);
  return parts
    .map((part) => finished(part))
    .filter((text) => text !== "" && text !== gap)
    .map(mergeDigitsIntoFormulas)
    .join("\n\n");
}

const modeOf = ({ attributes }: Element, around: Mode): Mode =>
  attributes["class"] === markdownClass ? "markdown" : attributes["class"] === textClass ? "plain" : around;

const finished = ({ text, mode }: Part): string =>
  mode === "verbatim" ? text : mode === "plain" ? escapeLineStarts(text) : tidied(text);

/** Without text and further elements. */
const isEmpty = ({ children }: Element): boolean =>
  children.every((child) => typeof child === "string" && child.trim() === "");

const isLink = ({ name, attributes }: Element): boolean =>
  name === "a" && !/^(#|$)/.test(attributes["href"] ?? "");

const isPicture = ({ name, attributes }: Element): boolean =>
  name === "img" || (name === "object" && (attributes["type"] ?? "").startsWith("image/"));

const tidied = (text: string): string =>
  text
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .trim();

/** Code of several lines is fenced, because Markdown joins lines. */
function preformatted(pre: Element): string {
  const text = verbatim(pre);
  if (pre.attributes["class"] === markdownClass) return text;
  return text.trim().includes("\n") ? fencedCode(text) : plainTextToMarkdown(text);
}

const verbatim = ({ children }: Element): string =>
  children
    .map((child) => (typeof child === "string" ? child : child.name === "br" ? "\n" : verbatim(child)))
    .join("");

/** The path in the package of a file that a text shows as a picture; undefined if it is not in the package. */
export type PicturePathResolver = (fileId: number) => string | undefined;

const inPackage: PicturePathResolver = () => undefined;

/** Elements that `qtiToPlainText` reads as the same Markdown. Pictures become files of the package. */
export function plainTextToQti(text: string, pathOf = inPackage): Element[] {
  const paragraphs = text
    .split("\n\n")
    .map((markdown) => ({ markdown, said: markdownToPlainText(markdown) }));
  const isTidy = paragraphs.every(
    ({ markdown, said }) => markdown !== "" && (said !== undefined || markdown === tidied(markdown)),
  );
  if (!isTidy || /[\t\r]/.test(text) || text === gap || hasOtherCaptions(text))
    return [element("pre", { class: markdownClass }, withPaths(text, pathOf))];
  return paragraphs.map(({ markdown, said }) => {
    if (said === undefined)
      return element(
        "p",
        { class: markdownClass },
        ...brokenLines(markdown, (line) => withPictures(line, pathOf)),
      );
    return element(
      "p",
      said === markdown ? {} : { class: textClass },
      ...brokenLines(said, (line) => [line]),
    );
  });
}

const picture = /!\[((?:\\.|[^\\[\]\n]){0,500})\]\(file:(\d{1,15})\)/g;

const altOf = (caption: string): string => caption.replaceAll(/\\([\\`*_[\]<>~$&])/g, "$1");

/** Captions with formatting, which `alt` cannot represent. */
const hasOtherCaptions = (text: string): boolean =>
  Array.from(text.matchAll(picture)).some(([, caption = ""]) => captionOf(altOf(caption)) !== caption);

const captionOf = (alt: string): string => escapeMarkdown(alt.replaceAll(/\s+/g, " ").trim());

/** Markdown of a picture. */
export const pictureMarkdown = (alt: string, address: string): string => `![${captionOf(alt)}](${address})`;

const withPaths = (text: string, pathOf: PicturePathResolver): string =>
  text.replaceAll(/\]\(file:(\d{1,15})\)/g, (whole, id: string) => {
    const path = pathOf(Number(id));
    return path === undefined ? whole : `](${path})`;
  });

const brokenLines = (paragraph: string, nodesOf: (line: string) => Node[]): Node[] =>
  paragraph.split("\n").flatMap((line, at) => [...(at === 0 ? [] : [element("br")]), ...nodesOf(line)]);

function withPictures(line: string, pathOf: PicturePathResolver): Node[] {
  const nodes: Node[] = [];
  let end = 0;
  for (const { 0: whole, 1: caption = "", 2: id, index } of line.matchAll(picture)) {
    const src = pathOf(Number(id));
    if (src === undefined) continue;
    nodes.push(line.slice(end, index), element("img", { src, alt: altOf(caption) }));
    end = index + whole.length;
  }
  return [...nodes, line.slice(end)].filter((node) => node !== "");
}
