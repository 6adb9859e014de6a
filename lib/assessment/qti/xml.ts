import { type ErrorCode, formatErrorMessage, type MessageValuesFor } from "../../error-codes.ts";
import {
  type Element,
  readXml,
  writeXml,
  XmlError,
  type XmlNameMapping,
} from "../../platform/readers/xml.ts";
import { encodeStoredReason, type StoredReason } from "../../platform/results/stored-reason.ts";

export { type Element, element, type Node } from "../../platform/readers/xml.ts";

/** The file was not understood: the reason for the uploader. */
export class QtiError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = "QtiError";
  readonly reason: StoredReason;

  constructor(code: Code, ...values: MessageValuesFor<Code>) {
    super(formatErrorMessage(code, values[0]));
    this.reason = encodeStoredReason(code, ...values);
  }
}

/** Normalizes names to QTI 2. Throws `QtiError` if it is not XML. */
export function parseQtiXml(source: string): Element {
  try {
    return readXml(source, { element: plainName, attribute: camel });
  } catch (error) {
    throw error instanceof XmlError ? new QtiError("qti_xml_unreadable", { fault: error.message }) : error;
  }
}

/** Maps `qti-simple-choice` of QTI 3 and `imsqti:simpleChoice` to `simpleChoice`. */
const plainName = (tag: string): string => {
  const local = tag.slice(tag.lastIndexOf(":") + 1);
  return local.startsWith("qti-") ? camel(local.slice(4)) : local;
};

const camel = (name: string): string =>
  name.includes(":") ? name : name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const serializeQtiXml = (root: Element, version: "2.1" | "3.0" | "plain"): string =>
  writeXml(root, version === "3.0" ? namesOf3 : asTheyAre);

/** QTI 3 uses these unchanged from HTML. */
const ofHtml = new Set(["p", "pre", "br", "div", "img"]);

const kebab = (name: string): string =>
  name.includes(":") ? name : name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const namesOf3: XmlNameMapping = {
  element: (name) => (ofHtml.has(name) ? name : `qti-${kebab(name)}`),
  attribute: kebab,
};

const asTheyAre: XmlNameMapping = { element: (name) => name, attribute: (name) => name };
