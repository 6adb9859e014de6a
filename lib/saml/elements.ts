import type { Element } from "../readers/xml.ts";

/*
 * How elements of SAML are found: by their names without a prefix, which is each sender's own. What is read so was
 * verified, or is only looked at to refuse it.
 */

const withoutPrefix = (name: string): string => name.slice(name.indexOf(":") + 1);

/** The names of elements without their prefix; attributes keep theirs, since one with a prefix is another. */
export const samlNames = { element: withoutPrefix, attribute: (name: string) => name };

const isElement = (node: Element | string): node is Element => typeof node !== "string";

/** The children of that name. */
export const childrenOf = (element: Element | undefined, name: string): Element[] =>
  element?.children.filter(isElement).filter((child) => child.name === name) ?? [];

/** All elements of that name below, at any depth. */
export const descendantsOf = (element: Element, name: string): Element[] =>
  element.children
    .filter(isElement)
    .flatMap((child) => [...(child.name === name ? [child] : []), ...descendantsOf(child, name)]);

/** The text of an element that has text alone, trimmed; undefined for one with elements in it, or none. */
export function textOf(element: Element | undefined): string | undefined {
  if (!element || element.children.some(isElement)) return undefined;
  return element.children.join("").trim();
}
