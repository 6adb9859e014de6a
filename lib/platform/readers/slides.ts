import { type Element, type Node, readXml, type XmlNameMapping } from "./xml.ts";
import type { TextFile } from "./zip.ts";

/** Namespace prefixes differ between programs. */
const withoutPrefix = (name: string): string => name.slice(name.indexOf(":") + 1);

const names: XmlNameMapping = { element: withoutPrefix, attribute: (name) => name };

/** Each slide's text in order of display, one line per paragraph, without notes. */
export function extractSlideTexts(parts: readonly TextFile[]): string[] {
  const texts = new Map(parts.map(({ name, text }) => [name, text]));
  const order = orderOf(texts.get("ppt/presentation.xml"), texts.get("ppt/_rels/presentation.xml.rels"));
  return order.flatMap((name) => {
    const text = texts.get(`ppt/${name}`);
    return text === undefined ? [] : [paragraphsOf(readXml(text, names)).join("\n")];
  });
}

function orderOf(presentation: string | undefined, relations: string | undefined): string[] {
  if (presentation === undefined || relations === undefined) return [];
  const targets = new Map(
    elementsOf(readXml(relations, names), "Relationship").map(({ attributes }) => [
      attributes["Id"],
      attributes["Target"]?.replace(/^\/ppt\//, "") ?? "",
    ]),
  );
  return elementsOf(readXml(presentation, names), "sldId").flatMap(
    ({ attributes }) => targets.get(attributes["r:id"]) ?? [],
  );
}

const paragraphsOf = (slide: Element): string[] =>
  elementsOf(slide, "p")
    .map((paragraph) => elementsOf(paragraph, "t").map(textOf).join(""))
    .filter((line) => line.trim() !== "");

function elementsOf(node: Node, name: string): Element[] {
  if (typeof node === "string") return [];
  return node.children.flatMap((child) =>
    typeof child !== "string" && child.name === name ? [child] : elementsOf(child, name),
  );
}

const textOf = ({ children }: Element): string =>
  children.map((child) => (typeof child === "string" ? child : "")).join("");
