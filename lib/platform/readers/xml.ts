import { XMLBuilder, XMLParser, XMLValidator } from "fast-xml-parser";
import { decodeCharacterReferences } from "../text/html-entities.ts";
import { BeyondBounds } from "./beyond-bounds.ts";
import { lineAt } from "./decode-text.ts";

export type Element = {
  name: string;
  attributes: Record<string, string>;
  children: Node[];
  /** Only if `readXml` was asked for lines. */
  line?: number;
};

export type Node = Element | string;

/** Omits undefined attributes. */
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

/** The message is for the user who sent the XML. */
export class XmlError extends Error {
  override name = "XmlError";
}

export type XmlNameMapping = { element: (name: string) => string; attribute: (name: string) => string };

export type XmlBounds = { depth: number; elements: number; attributes: number; hasLines?: boolean };

/** More than authors write, and small enough to parse in a moment. */
const defaultXmlBounds: XmlBounds = { depth: 60, elements: 20_000, attributes: 40_000 };

const text = "#text";
const raw = "#cdata";

const common = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  processEntities: false,
  textNodeName: text,
};

type Parsed = Record<string, unknown>;

/** Throws XmlError for malformed XML, a document type, or more depth, elements or attributes than allowed. */
export function readXml(source: string, names: XmlNameMapping, most: XmlBounds = defaultXmlBounds): Element {
  if (/<!(DOCTYPE|ENTITY)/i.test(source)) throw new XmlError("A document type is not allowed");
  if (source.includes("\0")) throw new XmlError("A NUL character is not allowed");
  const valid = XMLValidator.validate(source, { allowBooleanAttributes: false });
  if (valid !== true)
    throw new XmlError(`It is not well-formed XML, line ${valid.err.line}: ${valid.err.msg}`);
  const normalized = most.hasLines ? source.replaceAll(/\r\n?/g, "\n") : source;
  const lineOf = most.hasLines ? linesOf(normalized) : undefined;
  const roots = parsed(normalized, most)
    .flatMap((one) => nodesOf(one, names, lineOf))
    .filter((one) => typeof one !== "string");
  const [root] = roots;
  if (!root || roots.length > 1) throw new XmlError("It has no single root element");
  return root;
}

/** The parser rejects excessive depth and forbidden names. */
function parsed(source: string, most: XmlBounds): Parsed[] {
  try {
    return countingParser(most).parse(source) as Parsed[];
  } catch (error) {
    if (error instanceof BeyondBounds) throw new XmlError(`It ${error.message}`);
    const line = lineBeyond(source, most.depth);
    if (line !== undefined) throw new XmlError(`It is nested more than ${most.depth} deep in line ${line}`);
    throw new XmlError(`It cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** The line of the first element that is deeper. The source is well-formed. */
function lineBeyond(source: string, depth: number): number | undefined {
  let open = 0;
  for (const { 0: tag, 1: closing, index } of source.matchAll(tags)) {
    if (closing === undefined || tag.endsWith("/>")) continue;
    open += closing === "/" ? -1 : 1;
    if (open > depth) return lineAt(source, index);
  }
  return undefined;
}

/** The line at a position, by binary search. */
function linesOf(source: string): (position: number) => number {
  const ends: number[] = [];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) ends.push(at);
  return (position) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

/** Comments, character data, instructions, and tags with their closing slash. Linear, also if an end is missing. */
const tags =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<\?[\s\S]*?(?:\?>|$)|<(\/?)(?:"[^"]*"|'[^']*'|[^"'<>])*>/g;

/** Entities are not expanded: authors use the names of HTML without a definition, which are decoded later. */
function countingParser(most: XmlBounds): XMLParser {
  let elements = 0;
  let attributes = 0;
  return new XMLParser({
    ...common,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    maxNestedTags: most.depth,
    // Otherwise each element's path would contain the names of all its ancestors.
    jPath: false,
    cdataPropName: raw,
    captureMetaData: most.hasLines ?? false,
    updateTag(name, _path, given) {
      elements += 1;
      attributes += Object.keys(given ?? {}).length;
      if (elements > most.elements) throw new BeyondBounds(most.elements, "elements");
      if (attributes > most.attributes) throw new BeyondBounds(most.attributes, "attributes");
      return name;
    },
  });
}

const metadata = XMLParser.getMetaDataSymbol() as unknown as string;

function nodesOf(one: Parsed, names: XmlNameMapping, lineOf?: (position: number) => number): Node[] {
  if (text in one) return [decodeCharacterReferences(String(one[text]))];
  if (raw in one) return [String((one[raw] as Parsed[])[0]?.[text] ?? "")];
  const [tag] = Object.keys(one).filter((key) => key !== ":@");
  if (tag === undefined || tag.startsWith("?")) return [];
  const attributes = Object.entries((one[":@"] ?? {}) as Record<string, string>);
  const { startIndex } = (one[metadata] ?? {}) as { startIndex?: number };
  return [
    {
      name: names.element(tag),
      attributes: Object.fromEntries(
        attributes.map(([name, value]) => [names.attribute(name), decodeCharacterReferences(value)]),
      ),
      children: (one[tag] as Parsed[]).flatMap((child) => nodesOf(child, names, lineOf)),
      ...(lineOf && startIndex !== undefined && { line: lineOf(startIndex) }),
    },
  ];
}

const builder = new XMLBuilder({ ...common, suppressEmptyNode: true });

export function writeXml(root: Element, names: XmlNameMapping): string {
  const written = (node: Node): Parsed => {
    if (typeof node === "string") return { [text]: escaped(node) };
    const attributes = Object.entries(node.attributes).map(([name, value]) => [
      names.attribute(name),
      escapedAttribute(value),
    ]);
    return {
      [names.element(node.name)]: node.children.map(written),
      ...(attributes.length > 0 && { ":@": Object.fromEntries(attributes) }),
    };
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build([written(root)])}\n`;
}

const signs: Record<string, string> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" },
  ...{ "\t": "&#9;", "\n": "&#10;", "\r": "&#13;" },
};

/** XML cannot represent most control characters. */
const unwritable = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

const escaped = (source: string): string =>
  source.replaceAll(unwritable, "\ufffd").replaceAll(/[&<>"\r]/g, (sign) => signs[sign] ?? sign);

/** Parsers may turn white space in attributes into spaces. */
const escapedAttribute = (source: string): string =>
  escaped(source).replaceAll(/[\t\n]/g, (sign) => signs[sign] ?? sign);
