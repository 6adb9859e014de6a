import { XMLBuilder, XMLParser, XMLValidator } from "fast-xml-parser";

/** An element, named as QTI 2 names it whatever version the file has, without its namespace's prefix. */
export type Element = { name: string; attributes: Record<string, string>; children: Node[] };

export type Node = Element | string;

/** What keeps a file from being read, in words for whoever sent it. */
export class QtiFault extends Error {
  override name = "QtiFault";
}

/** Nothing that people write lies deeper. */
const deepest = 60;

const text = "#text";
const raw = "#cdata";

/** Entities are left as they are, and the few that XML itself has are read by `decoded`: nothing can be expanded. */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  maxNestedTags: deepest,
  textNodeName: text,
  cdataPropName: raw,
});

const builder = new XMLBuilder({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  suppressEmptyNode: true,
  processEntities: false,
  textNodeName: text,
});

type Parsed = Record<string, unknown>;

/** The root element of an XML file; a `QtiFault` for what is not well-formed, has a document type or is too deep. */
export function parseXml(source: string): Element {
  if (/<!(DOCTYPE|ENTITY)/i.test(source)) throw new QtiFault("A document type is not allowed");
  if (source.includes("\0")) throw new QtiFault("A NUL character is not allowed");
  const valid = XMLValidator.validate(source, { allowBooleanAttributes: false });
  if (valid !== true)
    throw new QtiFault(`It is not well-formed XML, line ${valid.err.line}: ${valid.err.msg}`);
  const roots = parsed(source)
    .flatMap((one) => elementOf(one))
    .filter((one) => typeof one !== "string");
  const [root] = roots;
  if (!root || roots.length > 1) throw new QtiFault("It has no single root element");
  return root;
}

/** What is too deep, or named as nothing may be, the parser itself refuses. */
function parsed(source: string): Parsed[] {
  try {
    return parser.parse(source) as Parsed[];
  } catch (error) {
    throw new QtiFault(`It cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function elementOf(one: Parsed): Node[] {
  if (text in one) return [decoded(String(one[text]))];
  if (raw in one) return [String((one[raw] as Parsed[])[0]?.[text] ?? "")];
  const [tag] = Object.keys(one).filter((key) => key !== ":@");
  if (tag === undefined || tag.startsWith("?")) return [];
  const attributes = Object.entries((one[":@"] ?? {}) as Record<string, string>);
  return [
    {
      name: plainName(tag),
      attributes: Object.fromEntries(attributes.map(([name, value]) => [camel(name), decoded(value)])),
      children: (one[tag] as Parsed[]).flatMap((child) => elementOf(child)),
    },
  ];
}

/** `qti-simple-choice` of QTI 3 is `simpleChoice`, and so is `imsqti:simpleChoice`. */
const plainName = (tag: string): string => {
  const local = tag.slice(tag.lastIndexOf(":") + 1);
  return local.startsWith("qti-") ? camel(local.slice(4)) : local;
};

const camel = (name: string): string =>
  name.includes(":") ? name : name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const decoded = (source: string): string =>
  source.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi,
    (whole, hex, decimal, name) => {
      if (name) return named[name.toLowerCase()] ?? whole;
      const codePoint = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return isCharacter(codePoint) ? String.fromCodePoint(codePoint) : "";
    },
  );

/** What can be stored: neither NUL nor half of a surrogate pair. */
const isCharacter = (codePoint: number): boolean =>
  codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff);

/** An element of a file that is written. */
export const element = (
  name: string,
  attributes: Record<string, string | undefined> = {},
  ...children: Node[]
): Element => ({
  name,
  attributes: Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  ),
  children,
});

/** An XML file of that element, its names as the version of QTI has them. */
export function writeXml(root: Element, version: "2.1" | "3.0" | "plain"): string {
  const spelled = version === "3.0" ? kebab : (name: string) => name;
  const written = (node: Node): Parsed => {
    if (typeof node === "string") return { [text]: escaped(node) };
    const isOfQti = version === "3.0" && !ofHtml.has(node.name);
    const attributes = Object.entries(node.attributes).map(([name, value]) => [
      spelled(name),
      escapedAttribute(value),
    ]);
    return {
      [isOfQti ? `qti-${kebab(node.name)}` : node.name]: node.children.map(written),
      ...(attributes.length > 0 && { ":@": Object.fromEntries(attributes) }),
    };
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build([written(root)])}\n`;
}

/** Elements that QTI 3 has taken over from HTML as they are. */
const ofHtml = new Set(["p", "pre", "br", "div"]);

const kebab = (name: string): string =>
  name.includes(":") ? name : name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const signs: Record<string, string> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" },
  ...{ "\t": "&#9;", "\n": "&#10;", "\r": "&#13;" },
};

/** XML has no way to write most control characters. */
const unwritable = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

const escaped = (source: string): string =>
  source.replaceAll(unwritable, "\ufffd").replaceAll(/[&<>"\r]/g, (sign) => signs[sign] ?? sign);

/** What reads an attribute may make spaces of all that is blank. */
const escapedAttribute = (source: string): string =>
  escaped(source).replaceAll(/[\t\n]/g, (sign) => signs[sign] ?? sign);
