import {
  type Element,
  type Node,
  readXml,
  writeXml,
  type XmlBounds,
  type XmlNameMapping,
} from "../../platform/readers/xml.ts";

export { type Element, element, type Node } from "../../platform/readers/xml.ts";

/** Namespace prefixes differ by program, and names are unique across a cartridge's namespaces. */
const withoutPrefix: XmlNameMapping = {
  element: (name) => name.slice(name.indexOf(":") + 1),
  attribute: (name) => name,
};

/** Large courses have thousands of resources; large quizzes have tens of thousands of elements. */
const bounds: XmlBounds = { depth: 60, elements: 150_000, attributes: 300_000 };

/** Throws XmlError for invalid XML or a document type. */
export const parseXml = (source: string, { hasLines = false } = {}): Element =>
  readXml(source.replace(/^\ufeff/, ""), withoutPrefix, { ...bounds, hasLines });

const isElement = (node: Node): node is Element => typeof node !== "string";

export const childElements = ({ children }: Element, name?: string): Element[] =>
  children.filter(isElement).filter((child) => name === undefined || child.name === name);

export function elementAtPath(element: Element | undefined, ...names: string[]): Element | undefined {
  let found = element;
  for (const name of names) found = found && childElements(found, name)[0];
  return found;
}

export const descendants = (element: Element): Element[] =>
  childElements(element).flatMap((child) => [child, ...descendants(child)]);

/** With the text of descendants, trimmed. */
export const deepElementText = (element: Element | undefined): string =>
  element ? deepText(element).trim() : "";

const deepText = ({ children }: Element): string =>
  children.map((child) => (typeof child === "string" ? child : deepText(child))).join("");

export const xmlOf = (root: Element): string =>
  writeXml(root, { element: (name) => name, attribute: (name) => name });
