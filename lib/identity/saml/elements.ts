import type { Element } from "../../platform/readers/xml.ts";

/* By local name: prefixes vary. Callers pass verified XML, or only check it for rejection. */

const withoutPrefix = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Attributes keep their prefix, which makes them different attributes. */
export const samlXmlNameRules = { element: withoutPrefix, attribute: (name: string) => name };

const isElement = (node: Element | string): node is Element => typeof node !== "string";

export const childrenOf = (element: Element | undefined, name: string): Element[] =>
  element?.children.filter(isElement).filter((child) => child.name === name) ?? [];

/** At any depth. */
export const descendantsOf = (element: Element, name: string): Element[] =>
  element.children
    .filter(isElement)
    .flatMap((child) => [...(child.name === name ? [child] : []), ...descendantsOf(child, name)]);

/** Trimmed; undefined unless the element contains only text. */
export function pureElementText(element: Element | undefined): string | undefined {
  if (!element || element.children.some(isElement)) return undefined;
  return element.children.join("").trim();
}
