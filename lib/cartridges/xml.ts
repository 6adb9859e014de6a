import { type Element, type Node, readXml, writeXml, type XmlBounds, type XmlNames } from "../readers/xml.ts";

export type { Element, Node };

/** Prefixes differ from one program to the next, and one name is never in two of a cartridge's namespaces. */
const withoutPrefix: XmlNames = {
  element: (name) => name.slice(name.indexOf(":") + 1),
  attribute: (name) => name,
};

/** The courses of years have some thousand resources, and quizzes of hundreds of questions tens of thousands of elements. */
const bounds: XmlBounds = { depth: 60, elements: 150_000, attributes: 300_000 };

/** The root of an XML file of a cartridge; XmlError for what is none, or has a document type. */
export const parseXml = (source: string): Element =>
  readXml(source.replace(/^\ufeff/, ""), withoutPrefix, bounds);

const isElement = (node: Node): node is Element => typeof node !== "string";

/** The elements in an element, or those of a name. */
export const below = ({ children }: Element, name?: string): Element[] =>
  children.filter(isElement).filter((child) => name === undefined || child.name === name);

/** The first one at the end of a path of names. */
export function at(element: Element | undefined, ...names: string[]): Element | undefined {
  let found = element;
  for (const name of names) found = found && below(found, name)[0];
  return found;
}

export const descendants = (element: Element): Element[] =>
  below(element).flatMap((child) => [child, ...descendants(child)]);

/** The text in an element, that of those in it too, without blanks around it. */
export const textOf = (element: Element | undefined): string => (element ? deepText(element).trim() : "");

const deepText = ({ children }: Element): string =>
  children.map((child) => (typeof child === "string" ? child : deepText(child))).join("");

/** An element of a file that is written; attributes that are undefined are left out. */
export const element = (
  name: string,
  attributes: Record<string, string | undefined> = {},
  ...children: Node[]
): Element => ({
  name,
  attributes: Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ),
  children,
});

export const xmlOf = (root: Element): string =>
  writeXml(root, { element: (name) => name, attribute: (name) => name });
