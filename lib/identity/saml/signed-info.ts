import { SamlRefusal } from "./refusals.ts";
import {
  DOMParser,
  findAncestorNs,
  type SignatureAlgorithmType,
  SignedXml,
  toPem,
} from "./xml-signatures.ts";

/*
 * Checks the signed part without parsing the rest, since anyone can post a response. The worker thread then
 * verifies the content that the SignedInfo refers to.
 */

/** Usual tags and SignedInfos have less than 2,000 characters. */
const maxSignedInfoCharacters = 16_384;

/** A response has at most two signatures: its own and its assertion's. */
const maxSignaturesPerResponse = 2;

export const allowedSignatureMethodUris: readonly string[] = [
  "rsa-sha256",
  "rsa-sha384",
  "rsa-sha512",
  "ecdsa-sha256",
  "ecdsa-sha384",
  "ecdsa-sha512",
].map((name) => `http://www.w3.org/2001/04/xmldsig-more#${name}`);

/** Throws a `SamlRefusal` unless one of the certificates signed a SignedInfo of the response. */
export function ensureSignedInfoSignatureValid(xml: string, certificates: readonly string[]): void {
  ensureUnambiguousXml(xml);
  const response = tagAt(xml, /<(?!\?)/.exec(xml)?.index ?? 0);
  if (response?.name !== "Response") throw new SamlRefusal("malformed");
  const keys = certificates.map((one) => toPem(one, "CERTIFICATE"));
  const found = signedInfosIn(xml.replaceAll(/\r\n?/g, "\n"), response);
  const methods = found.map(({ method }) => method);
  ensureAllowedAlgorithms(methods, allowedSignatureMethodUris);
  if (found.some((one) => isSignedBy(one, keys))) return;
  // Error responses are often unsigned, so their status is the reason.
  const [, code] = /StatusCode\s[^<>]{0,200}?Value=["']([^"']{0,200})/.exec(xml) ?? [];
  if (code !== undefined) ensureSamlStatusSuccess([code]);
  throw new SamlRefusal("signature");
}

/** Rejects markup that parsers can read in different ways. */
export function ensureUnambiguousXml(xml: string): void {
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw new SamlRefusal("doctype");
  const [, body = ""] = /^\s*(?:<\?xml\s[^>?]{0,200}\?>)?([\s\S]*)$/.exec(xml) ?? [];
  if (body.includes("<!") || body.includes("<?")) throw new SamlRefusal("markup");
}

/** Throws `provider_refused` for status codes of an error, the outermost first. */
export function ensureSamlStatusSuccess(codes: readonly string[]): void {
  if (codes[0] === "urn:oasis:names:tc:SAML:2.0:status:Success") return;
  const names = codes.map((one) => /[A-Za-z]{1,40}$/.exec(one)?.[0]).filter(Boolean);
  throw new SamlRefusal("provider_refused", `its status is ${names.join(", ") || "missing"}`);
}

export function ensureAllowedAlgorithms(algorithms: readonly string[], allowed: readonly string[]): void {
  const weak = algorithms.find((one) => !allowed.includes(one));
  if (weak !== undefined) throw new SamlRefusal("algorithm", `it uses ${weak || "none"}`);
}

type Tag = { name: string; full: string; at: number; text: string };

function tagAt(xml: string, at: number): Tag | undefined {
  const [text = "", full = ""] =
    /^<([\w.:-]+)(?![\w.:-])(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/.exec(
      xml.slice(at, at + maxSignedInfoCharacters),
    ) ?? [];
  return full ? { name: full.slice(full.indexOf(":") + 1), full, at, text } : undefined;
}

function firstTag(xml: string, name: string, from = 0): Tag | undefined {
  for (const { index, 1: full = "" } of xml.slice(from).matchAll(/<([\w.:-]{1,200})[\s>]/g))
    if (full === name || full.endsWith(`:${name}`)) return tagAt(xml, from + index);
  return undefined;
}

function elementOf(xml: string, { at, full }: Tag): string {
  const end = xml.indexOf(`</${full}>`, at);
  return end < 0 || end - at > maxSignedInfoCharacters ? "" : xml.slice(at, end + full.length + 3);
}

type SignedInfo = { node: Element; document: Document; method: string; value: string };

function signedInfosIn(xml: string, response: Tag): SignedInfo[] {
  const assertion = firstTag(xml, "Assertion");
  const assertionEnd = assertion ? xml.indexOf(`</${assertion.full}>`, assertion.at) : -1;
  const found: SignedInfo[] = [];
  let from = 0;
  for (let count = 0; count < maxSignaturesPerResponse; count += 1) {
    const signature = firstTag(xml, "Signature", from);
    if (!signature) break;
    from = signature.at + 1;
    const isWithin = assertion && assertion.at < signature.at && signature.at < assertionEnd;
    const signedInfo = readSignedInfo(xml, [response, ...(isWithin ? [assertion] : []), signature]);
    if (signedInfo) found.push(signedInfo);
  }
  return found;
}

/** Includes the ancestors' tags, which declare its namespaces. */
function readSignedInfo(xml: string, ancestors: readonly Tag[]): SignedInfo | undefined {
  const at = ancestors.at(-1)?.at;
  const tag = firstTag(xml, "SignedInfo", at);
  const valueTag = firstTag(xml, "SignatureValue", at);
  if (!tag || !valueTag) return undefined;
  const open = ancestors.map(({ text }) => text).join("");
  const close = ancestors.map(({ full }) => `</${full}>`).reverse();
  const document = parsed(`${open}${elementOf(xml, tag)}${close.join("")}`);
  const node = document?.getElementsByTagNameNS("*", "SignedInfo")[0];
  const method = node?.getElementsByTagNameNS("*", "SignatureMethod")[0]?.getAttribute("Algorithm") ?? "";
  const value = elementOf(xml, valueTag)
    .slice(valueTag.text.length)
    .replace(/<[^<]*$/, "");
  return document && node ? { node, document, method, value } : undefined;
}

function parsed(xml: string): Document | undefined {
  try {
    return new DOMParser({ errorHandler: refuse }).parseFromString(xml, "text/xml");
  } catch {
    return undefined;
  }
}

function refuse(): never {
  throw new Error("It is not well-formed XML");
}

function isSignedBy({ node, document, method, value }: SignedInfo, keys: readonly string[]): boolean {
  const signed = new SignedXml();
  const verifier = signed.SignatureAlgorithms[method as SignatureAlgorithmType];
  const form = node.getElementsByTagNameNS("*", "CanonicalizationMethod")[0]?.getAttribute("Algorithm");
  if (!verifier || !form) return false;
  try {
    const ancestorNamespaces = findAncestorNs(document, "//*[local-name()='SignedInfo']");
    const canonical = signed.getCanonXml([form], node, { ancestorNamespaces });
    return keys.some((key) => new verifier().verifySignature(canonical, key, value));
  } catch {
    return false;
  }
}
