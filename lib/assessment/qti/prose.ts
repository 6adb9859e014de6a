import { type Element, element, type Node } from "./xml.ts";

/** Elements that start and end a paragraph. */
const apart = /^(p|div|li|ul|ol|dl|dt|dd|table|tr|blockquote|prompt|h[1-6])$/;

/** Plain text cannot represent these, or only in part. */
const unsaid = /^(img|object|audio|video|math|table|picture|svg)$/;

/** A text entry within a sentence. */
const gap = "____";

type Part = { text: string; isVerbatim: boolean };

export type Reading = {
  /** Receives the names of elements that plain text cannot represent. */
  leaveOut: (what: string) => void;
  /** Elements that are not part of the text. */
  skips?: (one: Element) => boolean;
};

/** An empty line separates paragraphs. */
export function proseOf(nodes: readonly Node[], { leaveOut, skips = () => false }: Reading): string {
  const parts: Part[] = [];
  const begin = (text = "", isVerbatim = false) => parts.push({ text, isVerbatim });
  const say = (more: string) => {
    const last = parts.at(-1);
    if (last && !last.isVerbatim) last.text += more;
    else begin(more);
  };
  const read = (node: Node): void => {
    if (typeof node === "string") say(node.replaceAll(/[ \t\r\n]+/g, " "));
    else if (node.name === "textEntryInteraction") say(gap);
    else if (skips(node)) return;
    else if (node.name === "pre") begin(verbatim(node), true);
    else if (node.name === "br") say("\n");
    else readElement(node);
  };
  const readElement = ({ name, attributes, children }: Element): void => {
    if (unsaid.test(name)) leaveOut(name);
    if (apart.test(name)) begin();
    if (name === "img" || name === "math") say(attributes["alt"] ?? attributes["alttext"] ?? "");
    else children.forEach(read);
    if (apart.test(name)) begin();
  };
  nodes.forEach(read);
  return parts
    .map(({ text, isVerbatim }) => (isVerbatim ? text : tidied(text)))
    .filter((text) => text !== "" && text !== gap)
    .join("\n\n");
}

const tidied = (text: string): string =>
  text
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .trim();

const verbatim = ({ children }: Element): string =>
  children.map((child) => (typeof child === "string" ? child : verbatim(child))).join("");

/** The inverse of `proseOf`: elements that it reads as the same text. */
export function elementsOf(text: string): Element[] {
  const isTidy = text.split("\n\n").every((paragraph) => paragraph !== "" && paragraph === tidied(paragraph));
  if (!isTidy || /[\t\r]/.test(text) || text === gap) return [element("pre", {}, text)];
  return text.split("\n\n").map((paragraph) => element("p", {}, ...brokenLines(paragraph)));
}

const brokenLines = (paragraph: string): Node[] =>
  paragraph.split("\n").flatMap((line, at) => (at === 0 ? [line] : [element("br"), line]));
