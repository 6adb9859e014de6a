import DOMPurify from "dompurify";
import { rewriteToMathMlCore } from "./math-core.ts";

/** Attributes with a URL, which must pass `address`. */
const addresses = new Set(["href", "src", "xlink:href", "cite"]);

const address = /^(?:https?:|mailto:|#)/i;

/** Presentational and semantic attributes without URLs. All others are removed. */
const display = `
  align alt aria-label colspan dir height lang reversed role rowspan scope span start title type valign value width

  accent accentunder columnalign columnlines columnspacing columnspan depth display displaystyle encoding fence largeop
  linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowalign rowlines
  rowspacing rspace scriptlevel separator stretchy symmetric voffset xmlns
`
  .trim()
  .split(/\s+/);

const kept = new Set(display);

DOMPurify.addHook("beforeSanitizeAttributes", (element) => {
  if (element.namespaceURI === "http://www.w3.org/1998/Math/MathML") rewriteToMathMlCore(element);
});

DOMPurify.addHook("uponSanitizeAttribute", (_, attribute) => {
  const { attrName, attrValue } = attribute;
  // The id of an uploaded picture, whose address is looked up later.
  if (attrName === "data-file" && /^\d+$/.test(attrValue)) attribute.forceKeepAttr = true;
  attribute.keepAttr = kept.has(attrName) || (addresses.has(attrName) && address.test(attrValue));
});

DOMPurify.addHook("afterSanitizeAttributes", (element) => {
  if (element.tagName !== "A" && element.tagName !== "AREA") return;
  element.setAttribute("target", "_blank");
  element.setAttribute("rel", "noopener noreferrer");
});

const rules = {
  USE_PROFILES: { html: true, mathMl: true },
  ADD_TAGS: ["semantics", "annotation"],
  FORBID_ATTR: ["style", "class", "id", "name"],
  ALLOWED_URI_REGEXP: address,
  // DOMPurify applies the URL rule to all attributes but these.
  ADD_URI_SAFE_ATTR: display,
  ALLOW_DATA_ATTR: false,
};

const forbidden = ["style", "form", "input", "button", "textarea", "select", "video", "audio", "iframe"];

/** Sanitized HTML as a TrustedHTML value. TypeScript's DOM types still call it a string. */
export const sanitizeHtml = (html: string): string => trusted(html, forbidden);

/** The same with links instead of pictures, which non-staff authors could use to track readers. */
export function sanitizeHtmlWithoutPictures(html: string): string {
  // A separate document, which loads no pictures.
  const body = DOMPurify.sanitize(html, {
    ...rules,
    FORBID_TAGS: forbidden,
    RETURN_DOM: true,
  }) as HTMLElement;
  for (const picture of body.querySelectorAll("img")) {
    const source = picture.getAttribute("src");
    const words = picture.getAttribute("alt")?.trim() || source || "";
    // Links cannot nest: inside a link the picture becomes its alt text.
    const isLink = source && !picture.closest("a[href]");
    const link = picture.ownerDocument.createElement("a");
    link.setAttribute("href", source ?? "");
    link.textContent = words;
    picture.replaceWith(isLink ? link : words);
  }
  return trusted(body.innerHTML, [...forbidden, "img", "picture", "source", "mglyph"]);
}

const trusted = (html: string, tags: string[]): string =>
  DOMPurify.sanitize(html, { ...rules, FORBID_TAGS: tags, RETURN_TRUSTED_TYPE: true }) as unknown as string;
