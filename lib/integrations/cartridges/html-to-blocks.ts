import { type DefaultTreeAdapterMap, parse } from "parse5";
import { mathmlToLatex } from "../../platform/readers/mathml.ts";
import type { Element, Node } from "../../platform/readers/xml.ts";
import {
  type EncodedOmission,
  encodeOmittedElement,
  encodeOmission as leftOutLine,
  type ReportOmission,
} from "../../platform/results/omission-codes.ts";
import { fencedCode, longestBacktickRunLength } from "../../platform/text/fenced-code.ts";
import { escapeLineStarts, escapeText, inlineFormula } from "../../platform/text/plain-text-markdown.ts";
import { ruby, subscript, superscript } from "../../platform/text/scripts.ts";
import { placeholderLinkUrl, replacePlaceholdersWithItemLinks, resolveLinkTarget } from "./links.ts";
import { type ArchivePageLocation, resolveArchiveFile } from "./paths.ts";
import { picturePlaceholderUrl } from "./question-pictures.ts";
import { firstDistinctOmissions } from "./settings.ts";

type HtmlNode = DefaultTreeAdapterMap["childNode"];
type HtmlElement = DefaultTreeAdapterMap["element"];

/** Pictures are named by their archive path. */
export type ParsedBlock =
  | { type: "paragraph"; text: string }
  | { type: "image"; path: string; caption: string };

export type ParsedPage = {
  title: string;
  /** Unpublished in Canvas. */
  is_active?: false;
  blocks: ParsedBlock[];
  /** Element names and links into the archive. */
  leftOut: EncodedOmission[];
};

/** Deeper markup is read as plain text. */
const deepest = 100;

/** Elements that run or only style: never text. Those that run are reported. */
const dropped = new Set(["script", "style", "noscript", "template", "head", "link", "meta", "title"]);
const acting = new Set([
  "script",
  "form",
  "input",
  "button",
  "select",
  "textarea",
  "applet",
  "embed",
  "object",
]);

const apart =
  /^(p|li|form|legend|hgroup|menu|div|section|article|header|footer|main|aside|nav|figure|figcaption|address|details|summary|center|fieldset|dl|dt|dd|body|html)$/;

/**
 * Markdown blocks, split at pictures of the archive. Reports what Markdown cannot represent. Takes only text
 * and web addresses, so no active content passes.
 */
export function convertHtmlToBlocks(html: string, at: ArchivePageLocation): ParsedPage {
  const document = parse(html);
  const leftOut = actingIn(document.childNodes);
  const writer = blockWriter();
  walk(document.childNodes, { ...at, leftOut, writer, depth: 0 });
  return {
    title: titleIn(document.childNodes),
    ...(isUnpublished(document.childNodes) && { is_active: false }),
    blocks: writer.blocks(),
    leftOut: firstDistinctOmissions([...leftOut]),
  };
}

/** One Markdown text without pictures. Pure. */
export function htmlToMarkdown(html: string, leaveOut: ReportOmission, at?: ArchivePageLocation): string {
  const page = convertHtmlToBlocks(html, at ?? { path: "", names: new Set() });
  for (const line of page.leftOut) leaveOut(line);
  const pictures = page.blocks.some(({ type }) => type === "image");
  if (pictures) leaveOut(encodeOmittedElement("img"));
  return page.blocks.map((block) => (block.type === "paragraph" ? block.text : block.caption)).join("\n\n");
}

/**
 * One Markdown text of a question, with pictures of the archive as `picturePlaceholderUrl` names them. Links into
 * the archive become their labels. Pure.
 */
export function htmlToMarkdownWithPictures(
  html: string,
  leaveOut: ReportOmission,
  at: ArchivePageLocation,
): string {
  const page = convertHtmlToBlocks(html, at);
  for (const what of page.leftOut) leaveOut(what);
  const text = page.blocks
    .map((block) =>
      block.type === "paragraph" ? block.text : placeholderPictureMarkdown(block.path, block.caption),
    )
    .join("\n\n");
  const { data, lost } = replacePlaceholdersWithItemLinks(text, () => undefined);
  for (const line of lost) leaveOut(line);
  return data;
}

export const placeholderPictureMarkdown = (path: string, caption: string): string =>
  `![${escapeText(caption)}](${picturePlaceholderUrl(path)})`;

type Reading = ArchivePageLocation & {
  leftOut: Set<EncodedOmission>;
  writer: ReturnType<typeof blockWriter>;
  depth: number;
  /** Within struck text, of which each paragraph is struck. */
  isStruck?: boolean;
};

function blockWriter() {
  const blocks: ParsedBlock[] = [];
  let paragraphs: string[] = [];
  const close = () => {
    const text = paragraphs
      .filter((one) => one.trim() !== "")
      .join("\n\n")
      .trim();
    if (text) blocks.push({ type: "paragraph", text });
    paragraphs = [];
  };
  return {
    say: (paragraph: string) => void paragraphs.push(paragraph),
    picture(path: string, caption: string) {
      close();
      blocks.push({ type: "image", path, caption });
    },
    blocks() {
      close();
      return blocks;
    },
  };
}

/** Settings of a page in Canvas with a value that matters. */
const pageSettings =
  /^(?:editing_roles (?!teachers$)|front_page true|(?:todo_date|publish_at|unlock_at|lock_at) .)/;

/** Elements that run, event handlers, settings of the page, and what it hides, which is removed. */
function actingIn(nodes: readonly HtmlNode[]): Set<EncodedOmission> {
  const found = new Set<EncodedOmission>();
  const waiting = [...nodes];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!isElement(node)) continue;
    const isHidden = node.tagName === "template" || (node.tagName === "noscript" && hasText(node));
    if (acting.has(node.tagName) || isHidden) found.add(encodeOmittedElement(node.tagName));
    const [setting, value] = [attribute(node, "name"), attribute(node, "content")];
    if (node.tagName === "meta" && pageSettings.test(`${setting} ${value}`))
      found.add(leftOutLine("left_out_setting", { setting, value: value.slice(0, 100) }));
    for (const { name } of node.attrs)
      if (/^on\w+$/.test(name)) found.add(leftOutLine("left_out_handler", { handler: name.slice(0, 50) }));
    node.childNodes = node.childNodes.filter((child) => !isRemoved(child, found));
    waiting.push(...node.childNodes);
  }
  return found;
}

/** Content that a browser does not show. Empty elements are not worth a report. */
function isRemoved(node: HtmlNode, found: Set<EncodedOmission>): boolean {
  const hiding = isElement(node) ? hidingOf(node) : undefined;
  if (!isElement(node) || !hiding) return false;
  if (hasText(node) || isPicture(node) || holds(node, isPicture))
    found.add(leftOutLine("left_out_setting", hiding));
  return true;
}

function hidingOf(element: HtmlElement): { setting: string; value: string } | undefined {
  if (element.attrs.some(({ name, value }) => name === "hidden" && value !== "until-found"))
    return { setting: "hidden", value: element.tagName.slice(0, 100) };
  if (hasStyle(element, "display", /^none\b/i)) return { setting: "display", value: "none" };
  if (hasStyle(element, "visibility", /^(hidden|collapse)\b/i))
    return { setting: "visibility", value: "hidden" };
  return undefined;
}

/** The last declaration of an inline style counts. */
function hasStyle(element: HtmlElement, property: string, value: RegExp): boolean {
  const declared = attribute(element, "style")
    .split(";")
    .map((one) => one.split(":"))
    .findLast(([name = ""]) => name.trim().toLowerCase() === property);
  return declared !== undefined && value.test(declared.slice(1).join(":").trim());
}

/** By its name or style. */
const strikes = (element: HtmlElement): boolean =>
  marks.get(element.tagName) === strike ||
  ["text-decoration", "text-decoration-line"].some((name) => hasStyle(element, name, /\bline-through\b/i));

const hasText = (element: HtmlElement): boolean => plainText(element).trim() !== "";

const isElement = (node: HtmlNode): node is HtmlElement => "tagName" in node;

const attribute = (element: HtmlElement, name: string): string =>
  element.attrs.find((one) => one.name === name)?.value ?? "";

function titleIn(nodes: HtmlNode[]): string {
  for (const node of nodes) {
    if (!isElement(node)) continue;
    if (node.tagName === "title") return collapsed(plainText(node)).trim();
    if (node.tagName === "html" || node.tagName === "head") {
      const title = titleIn(node.childNodes);
      if (title) return title;
    }
  }
  return "";
}

/** The state of a page in Canvas, other than `active`. */
const isUnpublished = (nodes: HtmlNode[]): boolean =>
  nodes
    .filter(isElement)
    .some((node) =>
      node.tagName === "meta"
        ? attribute(node, "name") === "workflow_state" && attribute(node, "content") !== "active"
        : /^(html|head)$/.test(node.tagName) && isUnpublished(node.childNodes),
    );

/** Reads nodes that may contain paragraphs; inline nodes between them form their own paragraph. */
function walk(nodes: readonly HtmlNode[], reading: Reading): void {
  let line = "";
  const flush = () => {
    const text = escapeLineStarts(line);
    if (text) reading.writer.say(reading.isStruck ? around(text, strike) : text);
    line = "";
  };
  for (const node of nodes) {
    if (isElement(node) && isBlock(node)) {
      flush();
      readBlock(node, within(node, reading));
    } else if (isElement(node) && holdsBlocks(node)) {
      flush();
      reportLostLink(node, reading);
      walk(node.childNodes, within(node, { ...reading, depth: reading.depth + 1 }));
    } else line += inline(node, reading);
  }
  flush();
}

const within = (element: HtmlElement, reading: Reading): Reading =>
  strikes(element) ? { ...reading, isStruck: true } : reading;

/** Links within Markdown have no blocks. */
function reportLostLink({ tagName, attrs }: HtmlElement, { leftOut }: Reading): void {
  const address = attrs.find(({ name }) => tagName === "a" && name === "href")?.value ?? "";
  if (address && !address.startsWith("#"))
    leftOut.add(leftOutLine("left_out_link", { address: address.slice(0, 150) }));
}

const blockNames = /^(h[1-6]|ul|ol|pre|blockquote|table|hr|img)$/;

const isBlock = (element: HtmlElement): boolean => {
  if (element.tagName === "img") return isPicture(element);
  return apart.test(element.tagName) || blockNames.test(element.tagName);
};

const isPicture = (element: HtmlElement): boolean =>
  element.tagName === "img" &&
  !isFormula(element) &&
  attribute(element, "src") + attribute(element, "srcset") !== "";

/** At any depth that is read. */
const holds = (element: HtmlElement, test: (one: HtmlElement) => boolean, depth = 0): boolean =>
  depth < deepest &&
  element.childNodes.some((child) => isElement(child) && (test(child) || holds(child, test, depth + 1)));

/** An inline element contains blocks: a link around a picture, a box around paragraphs. */
const holdsBlocks = (element: HtmlElement): boolean =>
  !dropped.has(element.tagName) && holds(element, isBlock);

function readBlock(element: HtmlElement, reading: Reading): void {
  const { tagName: name } = element;
  const { writer, depth } = reading;
  const deeper = { ...reading, depth: depth + 1 };
  if (depth > deepest) writer.say(escapeText(collapsed(textAlone(element, reading))));
  else if (name === "hr") writer.say("---");
  else if (name === "img") readPicture(element, reading);
  else if (name === "pre") {
    if (reading.isStruck) reading.leftOut.add(encodeOmittedElement("del"));
    writer.say(fencedCode(textAlone(element, reading)));
  } else if (name === "blockquote") writer.say(linesOf(element, deeper).replaceAll(/^/gm, "> "));
  else if (name === "ul" || name === "ol") writer.say(list(element, deeper));
  else if (name === "table") readTable(element, deeper);
  else if (/^h[1-6]$/.test(name)) readHeading(element, deeper);
  else walk(element.childNodes, deeper);
}

/** One line. Its pictures become blocks before it; lists and tables within it are no heading. */
function readHeading(element: HtmlElement, reading: Reading): void {
  if (holds(element, ({ tagName }) => tagName !== "img" && blockNames.test(tagName))) {
    walk(element.childNodes, reading);
    return;
  }
  const text = joinedLines(linesOf(element, reading));
  if (text) reading.writer.say(`${"#".repeat(Number(element.tagName[1]))} ${text}`);
}

const joinedLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

function readPicture(element: HtmlElement, { path, names, writer, leftOut }: Reading): void {
  const source = attribute(element, "src");
  const caption = collapsed(attribute(element, "alt")).trim();
  const file = resolveArchiveFile(source, path, names);
  const address = allowedWebUrl(source);
  if (file !== undefined) writer.picture(file, caption);
  else if (address) writer.say(`![${escapeText(caption)}](${address})`);
  else {
    leftOut.add(encodeOmittedElement("img"));
    writer.say(escapeText(caption));
  }
}

/** Pictures of an item become blocks before it, after the items before. Marks without Markdown are text. */
function list(element: HtmlElement, outer: Reading): string {
  let entries: { text: string; indent: number | undefined }[] = [];
  const written = () =>
    entries
      .map(({ text, indent }, at) => {
        const isClose = indent !== undefined && entries[at - 1]?.indent !== undefined;
        return (at === 0 ? "" : isClose ? "\n" : "\n\n") + text;
      })
      .join("");
  const picture = (path: string, caption: string) => {
    if (entries.length > 0) outer.writer.say(written());
    entries = [];
    outer.writer.picture(path, caption);
  };
  const reading = { ...outer, writer: { ...outer.writer, picture } };
  const markOf = listMarks(element, outer.leftOut);
  for (const item of element.childNodes) {
    if (isElement(item) && dropped.has(item.tagName)) continue;
    if (isElement(item) && /^[uo]l$/.test(item.tagName) && reading.depth < deepest) {
      const nested = list(item, within(item, { ...reading, depth: reading.depth + 1 }));
      const indent = entries.at(-1)?.indent;
      if (nested) entries.push({ text: nested.replaceAll(/^(?=[^\n])/gm, " ".repeat(indent ?? 0)), indent });
      continue;
    }
    const text = isElement(item) ? linesOf(item, reading) : escapeLineStarts(inline(item, reading));
    const isItem = isElement(item) && item.tagName === "li";
    if (!text && !isItem) continue;
    const { mark, isMarkdown } = markOf(item);
    if (!text && mark === bullet.mark) continue;
    const indent = isMarkdown ? mark.length : undefined;
    entries.push({
      text: (mark + text.replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(indent ?? 0)}`)).trimEnd(),
      indent,
    });
  }
  return written();
}

type ListMark = { mark: string; isMarkdown: boolean };

const bullet: ListMark = { mark: "- ", isMarkdown: true };

/** Markdown counts numbers up from the first one; letters and other orders are text. */
function listMarks(list: HtmlElement, leftOut: Set<EncodedOmission>): (item: HtmlNode) => ListMark {
  const isReversed = list.attrs.some(({ name }) => name === "reversed");
  const numberIn = (element: HtmlElement, name: string): number | undefined => {
    const number = Number.parseInt(attribute(element, name), 10);
    return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
  };
  const items = list.childNodes.filter((one) => isElement(one) && one.tagName === "li").length;
  let number = numberIn(list, "start") ?? (isReversed ? items : 1);
  let next: number | undefined = number;
  const ofList = markStyle(list, leftOut) ?? (list.tagName === "ol" ? "1" : "-");
  return (item) => {
    const style = (isElement(item) && markStyle(item, leftOut)) || ofList;
    if (style === "-") return bullet;
    number = (isElement(item) ? numberIn(item, "value") : undefined) ?? number;
    const isMarkdown = style === "1" && number === next && !isReversed && number < 1e9;
    const mark = isMarkdown ? `${number}. ` : `${letters(number, style)} `;
    number += isReversed ? -1 : 1;
    next = style === "1" ? number : undefined;
    return { mark, isMarkdown };
  };
}

const markStyles = new Map(
  Object.entries({
    ...{ disc: "-", circle: "-", square: "-", decimal: "1", "lower-roman": "i", "upper-roman": "I" },
    ...{ "lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A" },
  }),
);

/** `-`, or the `type` of HTML. Reports other styles of CSS. */
function markStyle(element: HtmlElement, leftOut: Set<EncodedOmission>): string | undefined {
  const [, declared = ""] =
    /(?:^|;)\s*list-style(?:-type)?\s*:([^;]*)/i.exec(attribute(element, "style").toLowerCase()) ?? [];
  const known = declared.split(/\s+/).find((one) => markStyles.has(one));
  if (known) return markStyles.get(known);
  const [unknown] = /\b[a-z]+-[a-z-]+\b/.exec(declared) ?? [];
  if (unknown)
    leftOut.add(leftOutLine("left_out_setting", { setting: "list-style", value: unknown.slice(0, 100) }));
  return /^[aAiI1]$/.test(attribute(element, "type")) ? attribute(element, "type") : undefined;
}

/** `B.`, `iv.`, or the escaped number. */
function letters(number: number, style: string): string {
  const written = /^a$/i.test(style) ? alphabetic(number) : /^i$/i.test(style) ? roman(number) : "";
  return written ? `${/[AI]/.test(style) ? written.toUpperCase() : written}.` : `${number}\\.`;
}

const alphabetic = (number: number): string =>
  number < 1
    ? ""
    : alphabetic(Math.floor((number - 1) / 26)) + String.fromCodePoint(97 + ((number - 1) % 26));

const romanDigits = Object.entries({
  ...{ m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50 },
  ...{ xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 },
});

function roman(number: number): string {
  if (number > 3999) return "";
  let [rest, written] = [number, ""];
  for (const [digits, worth] of romanDigits) for (; rest >= worth; rest -= worth) written += digits;
  return written;
}

/** An element's content as lines of one text. */
function linesOf(element: HtmlElement, reading: Reading): string {
  const inner = blockWriter();
  if (reading.depth > deepest) inner.say(escapeText(collapsed(textAlone(element, reading))));
  else
    walk(element.childNodes, {
      ...within(element, reading),
      writer: picturesBefore(inner, reading),
      depth: reading.depth + 1,
    });
  return inner
    .blocks()
    .map((block) => (block.type === "paragraph" ? block.text : ""))
    .join("\n\n");
}

/** Pictures within a heading, list or table become blocks before it. */
const picturesBefore = (inner: ReturnType<typeof blockWriter>, { writer }: Reading) => ({
  ...inner,
  picture: writer.picture,
});

/** One line for each table row; the content of layout tables, and of those with pictures, is read directly. */
function readTable(table: HtmlElement, reading: Reading): void {
  const captions = table.childNodes.filter(isElement).filter(({ tagName }) => tagName === "caption");
  for (const caption of captions) walk(caption.childNodes, { ...reading, depth: reading.depth + 1 });
  const rows = rowsOf(table);
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  const isLayout =
    width < 2 ||
    isBeyondMarkdown(rows, width, reading) ||
    rows.some((cells) =>
      cells.some((cell) =>
        cell?.childNodes.some((one) => isElement(one) && /^(table|ul|ol|pre|h[1-6])$/.test(one.tagName)),
      ),
    );
  if (isLayout) {
    for (const cells of rows)
      for (const cell of cells)
        if (cell) walk(cell.childNodes, within(cell, { ...reading, depth: reading.depth + 1 }));
    return;
  }
  const lineOf = (cells: TableRow): string => {
    const texts = Array.from({ length: width }, (_, at) => cellText(cells[at], reading));
    return `| ${texts.join(" | ")} |`;
  };
  const [head = [], ...body] = rows;
  const lines = [lineOf(head), `|${" --- |".repeat(width)}`, ...body.map(lineOf)];
  reading.writer.say(lines.join("\n"));
}

function cellText(cell: HtmlElement | undefined, reading: Reading): string {
  return cell ? joinedLines(linesOf(cell, reading)).replaceAll("|", "\\|") : "";
}

/** The cells by column. A cell over several columns or rows has the first; the others are empty. */
type TableRow = (HtmlElement | undefined)[];

const rowsOf = (table: HtmlElement): TableRow[] =>
  table.childNodes
    .filter(isElement)
    .flatMap((one) => (/^(thead|tbody|tfoot)$/.test(one.tagName) ? rowsOfSection(one) : []));

function rowsOfSection(section: HtmlElement): TableRow[] {
  const endOfColumn: number[] = [];
  const rows = section.childNodes.filter(isElement).filter(({ tagName }) => tagName === "tr");
  return rows.map(({ childNodes }, row) => {
    const cells: TableRow = [];
    let column = 0;
    for (const cell of childNodes.filter(isElement).filter(({ tagName }) => /^t[dh]$/.test(tagName))) {
      while ((endOfColumn[column] ?? 0) > row) column += 1;
      cells[column] = cell;
      const end = row + (spanOf(cell, "rowspan") || rows.length);
      for (let left = Math.min(spanOf(cell, "colspan") || 1, widestSpan); left > 0; left -= 1, column += 1)
        endOfColumn[column] = end;
    }
    return Array.from(cells);
  });
}

const widestSpan = 100;

/** 0 of `rowspan` is all rows below. */
function spanOf(cell: HtmlElement, name: string): number {
  const span = Number.parseInt(attribute(cell, name), 10);
  return span >= 0 ? span : 1;
}

/** Pictures are blocks, which a table cannot hold, and a wide table is mostly empty cells. */
function isBeyondMarkdown(rows: TableRow[], width: number, { path, names, leftOut }: Reading): boolean {
  const isFile = (one: HtmlElement): boolean =>
    isPicture(one) && resolveArchiveFile(attribute(one, "src"), path, names) !== undefined;
  const isBeyond =
    rows.length * width > 100_000 || rows.some((cells) => cells.some((cell) => cell && holds(cell, isFile)));
  if (isBeyond) leftOut.add(encodeOmittedElement("table"));
  return isBeyond;
}

const strike = "~~";

const inlineOf = (element: HtmlElement, reading: Reading): string =>
  element.childNodes.map((child) => inline(child, reading)).join("");

const marks = new Map<string, string>(
  Object.entries({
    strong: "**",
    b: "**",
    em: "*",
    i: "*",
    del: strike,
    s: strike,
    strike,
  }),
);

/** Only these have a hyphen. What one without text shows is unknown. */
const isCustomElement = (name: string): boolean => name.includes("-");

function inline(node: HtmlNode, reading: Reading): string {
  if ("value" in node && node.nodeName === "#text") return escapeText(collapsed(node.value));
  if (!isElement(node)) return "";
  const { tagName: name } = node;
  const { depth } = reading;
  if (dropped.has(name)) return "";
  if (depth > deepest) return escapeText(collapsed(textAlone(node, reading)));
  const text = inlineElement(node, within(node, { ...reading, depth: depth + 1 }));
  return strikes(node) && !reading.isStruck && text.trim() ? around(text, strike) : text;
}

function inlineElement(node: HtmlElement, deeper: Reading): string {
  const { tagName: name } = node;
  const { leftOut } = deeper;
  if (name === "br") return "\n";
  if (name === "img") return isFormula(node) ? formula(node) : "";
  if (name === "math") return mathOf(node, leftOut);
  if (name === "svg" || name === "canvas") {
    leftOut.add(encodeOmittedElement(name));
    return "";
  }
  if (name === "a") return link(node, deeper);
  if (/^(iframe|video|audio|embed|source|track)$/.test(name)) return media(node, deeper);
  if (name === "code" || name === "kbd" || name === "tt") return codeLines(node, deeper);
  if (name === "sup" || hasStyle(node, "vertical-align", /^super\b/i)) return script(node, "sup", deeper);
  if (name === "sub" || hasStyle(node, "vertical-align", /^sub\b/i)) return script(node, "sub", deeper);
  if (name === "rp") return "";
  if (name === "rt") return ruby("", inlineOf(node, deeper));
  const mark = marks.get(name);
  const text = inlineOf(node, deeper);
  if (isCustomElement(name) && text.trim() === "") leftOut.add(encodeOmittedElement(name.slice(0, 50)));
  return mark && mark !== strike && text.trim() ? around(text, mark) : text;
}

/** Keeps blanks outside of emphasis marks, which are invalid next to blanks. */
function around(text: string, mark: string): string {
  const inner = text.trim();
  const before = text.slice(0, text.length - text.trimStart().length);
  const after = text.slice(text.trimEnd().length);
  return inner.includes("\n\n") ? text : `${before}${mark}${inner}${mark}${after}`;
}

function link(element: HtmlElement, reading: Reading): string {
  const text = inlineOf(element, reading);
  const source = attribute(element, "href");
  const target = reading.path === "" ? undefined : resolveLinkTarget(source, reading.path, reading.names);
  const address = allowedWebUrl(source) ?? (target && placeholderLinkUrl(target));
  const label = text.trim().replaceAll("\n", " ");
  if (target && !label) return text;
  if (address) return label ? `[${label}](${address})` : `<${address}>`;
  if (source !== "" && !source.startsWith("#"))
    reading.leftOut.add(leftOutLine("left_out_link", { address: source.slice(0, 150) }));
  return text;
}

/** A video or frame becomes a link to its source. */
function media(element: HtmlElement, reading: Reading): string {
  const { tagName: name } = element;
  const source = attribute(element, "src") || attribute(element, "data");
  const address = allowedWebUrl(source.startsWith("//") ? `https:${source}` : source);
  const label = collapsed(attribute(element, "title")).trim();
  if (!address && source)
    reading.leftOut.add(leftOutLine("left_out_media", { media: name, address: source.slice(0, 150) }));
  else if (!address && name !== "video" && name !== "audio") reading.leftOut.add(encodeOmittedElement(name));
  const inner = inlineOf(element, reading);
  return (address ? ` [${escapeText(label || address)}](${address}) ` : "") + inner;
}

const isFormula = (element: HtmlElement): boolean =>
  element.tagName === "img" && attribute(element, "data-equation-content") !== "";

/** Canvas renders a formula as a picture with its source in an attribute. */
const formula = (element: HtmlElement): string => inlineFormula(attribute(element, "data-equation-content"));

function mathOf(element: HtmlElement, leftOut: Set<EncodedOmission>): string {
  const latex = mathmlToLatex(xmlElement(element));
  if (latex !== undefined) return inlineFormula(latex);
  leftOut.add(encodeOmittedElement("math"));
  return escapeText(collapsed(attribute(element, "alttext") || plainText(element)));
}

/** Deeper elements are without content, so the formula is reported as left out. */
function xmlElement({ tagName, attrs, childNodes }: HtmlElement, depth = 0): Element {
  const attributes = Object.fromEntries(attrs.map(({ name, value }) => [name, value]));
  if (depth > deepest) return { name: "too-deep", attributes, children: [] };
  const children = childNodes.flatMap((child): Node[] => {
    if (isElement(child)) return [xmlElement(child, depth + 1)];
    return "value" in child && child.nodeName === "#text" ? [child.value] : [];
  });
  return { name: tagName, attributes, children };
}

/** What the text of these elements does not say. */
const unsaid = /^(svg|canvas|math|iframe|video|audio|img|del|s|strike|su[bp])$/;

/** The text of code and of the deepest elements. Pictures become blocks, and what else it loses is reported. */
function textAlone(element: HtmlElement, reading: Reading, atBreak?: string): string {
  const { leftOut } = reading;
  const waiting: HtmlNode[] = [...element.childNodes].reverse();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!isElement(node) || dropped.has(node.tagName)) continue;
    reportLostLink(node, reading);
    if (isPicture(node)) readPicture(node, reading);
    else if (unsaid.test(node.tagName)) leftOut.add(encodeOmittedElement(node.tagName));
    waiting.push(...[...node.childNodes].reverse());
  }
  return plainText(element, atBreak);
}

/** At any depth, except dropped elements. */
function plainText(element: HtmlElement, atBreak = "\n"): string {
  let text = "";
  const waiting: HtmlNode[] = [...element.childNodes].reverse();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!isElement(node)) {
      if ("value" in node && node.nodeName === "#text") text += node.value;
    } else if (node.tagName === "br") text += atBreak;
    else if (!dropped.has(node.tagName)) waiting.push(...[...node.childNodes].reverse());
  }
  return text;
}

const collapsed = (text: string): string => text.replaceAll(/[ \t\r\n\f\u00a0]+/g, " ");

/** Markdown has no line breaks within inline code, so each line is code. */
const codeLines = (element: HtmlElement, reading: Reading): string =>
  textAlone(element, reading, lineEnd)
    .split(lineEnd)
    .map((line) => codeOf(collapsed(line)))
    .join("\n");

/** Of `br`, because other line breaks are blanks. */
const lineEnd = "\u0085";

/** Links and strikes are around the script, since it may be a formula. */
function script(node: HtmlElement, tagName: "sup" | "sub", reading: Reading): string {
  const around = (childNodes: HtmlNode[]): HtmlElement => ({ ...node, tagName, attrs: [], childNodes });
  if (holds(node, (one) => one.tagName === "a" || strikes(one)))
    return node.childNodes
      .map((one) => (isElement(one) ? { ...one, childNodes: [around(one.childNodes)] } : around([one])))
      .map((one) => inline(one, reading))
      .join("");
  const text = scriptOf(node, reading);
  return tagName === "sup" ? superscript(text) : subscript(text);
}

/** Without Markdown's escapes, which are no part of a formula. */
const scriptOf = (element: HtmlElement, reading: Reading): string =>
  holds(element, ({ tagName }) => /^(sup|sub|math|img)$/.test(tagName))
    ? inlineOf(element, reading)
    : collapsed(plainText(element));

const codeOf = (text: string): string => {
  if (!text.trim()) return "";
  const marks = "`".repeat(longestBacktickRunLength(text) + 1);
  const blank = /^`|`$/.test(text) ? " " : "";
  return marks + blank + text + blank + marks;
};

/** An http(s) or mailto address as written; undefined for others, such as scripts. */
export function allowedWebUrl(source: string): string | undefined {
  const url = URL.parse(source.trim());
  if (
    !url ||
    !["http:", "https:", "mailto:"].includes(url.protocol) ||
    url.username ||
    url.href.length > 2048
  )
    return undefined;
  return url.href.replaceAll(/[()<>\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
