import { X509Certificate } from "node:crypto";
import { badRequest } from "../../errors.ts";
import { type Element, readXml, XmlError } from "../../platform/readers/xml.ts";
import { childrenOf, descendantsOf, pureElementText, samlXmlNameRules } from "./elements.ts";
import { DOMParser, SignedXml } from "./xml-signatures.ts";

export type MetadataInput = {
  xml: string;
  /** Without an entity ID, the metadata must have exactly one. */
  issuer: string | undefined;
  /** The pinned signing certificate, as PEM. */
  certificate: string | undefined;
  /** In milliseconds. */
  now: number;
  /** Allows plain HTTP. */
  is_development: boolean;
};

export type ProviderMetadata = {
  issuer: string;
  sso_url: string;
  /** DER in base64. */
  certificates: string[];
  scopes: string[];
  valid_until: string | null;
};

const samlMetadataLimits = { certificates: 10, scopes: 50 };

const redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";

/** One identity provider's, or the named one of many. The 400 says what is missing. */
export function parseProviderMetadata(given: MetadataInput): ProviderMetadata {
  const root = rootOf(given.certificate ? verified(given.xml, given.certificate) : given.xml);
  ensureValid(root, given.now);
  const entity = entityOf(root, given.issuer);
  ensureValid(entity, given.now);
  const role = childrenOf(entity, "IDPSSODescriptor")[0] as Element;
  ensureValid(role, given.now);
  const ends = [root, entity, role].flatMap(({ attributes }) => attributes["validUntil"] ?? []);
  return {
    issuer: issuerOf(entity),
    sso_url: addressOf(role, given.is_development),
    certificates: certificatesOf(role),
    scopes: scopesOf(entity),
    valid_until: ends.map((end) => new Date(end).toISOString()).sort()[0] ?? null,
  };
}

function rootOf(xml: string): Element {
  try {
    return readXml(xml, samlXmlNameRules);
  } catch (error) {
    if (error instanceof XmlError) throw badRequest("metadata_unreadable", { fault: error.message });
    throw error;
  }
}

/** The part that the pinned certificate's signature covers, and nothing else. */
function verified(xml: string, certificate: string): string {
  const refused = () => badRequest("metadata_signature_wrong");
  const root = rootOf(xml);
  const [signature, ...others] = childrenOf(root, "Signature");
  const reference = signature && descendantsOf(signature, "Reference");
  if (!signature || others.length > 0 || reference?.length !== 1) throw refused();
  const uri = reference[0]?.attributes["URI"];
  if (uri !== "" && uri !== `#${root.attributes["ID"]}`) throw refused();
  const methods = [
    ...descendantsOf(signature, "SignatureMethod"),
    ...descendantsOf(signature, "DigestMethod"),
  ];
  if (methods.some(({ attributes }) => !/sha(256|384|512)$/.test(attributes["Algorithm"] ?? "")))
    throw badRequest("metadata_signature_weak");
  const document = new DOMParser({ errorHandler: refuse }).parseFromString(xml, "text/xml");
  const isSignature = (node: ChildNode) => (node as Node & { localName?: string }).localName === "Signature";
  const node = Array.from(document.documentElement.childNodes).find(isSignature);
  const signed = new SignedXml({ publicCert: certificate });
  try {
    if (!node) throw refused();
    signed.loadSignature(node as Node);
    if (!signed.checkSignature(xml)) throw refused();
  } catch {
    throw refused();
  }
  const [content] = signed.getSignedReferences();
  if (!content) throw refused();
  return content;
}

const refuse = (_: string, words: string): never => {
  throw badRequest("metadata_unreadable", { fault: words.split("\n")[0]?.slice(0, 200) });
};

function ensureValid({ attributes }: Element, now: number): void {
  const end = attributes["validUntil"];
  if (end !== undefined && !(Date.parse(end) > now)) throw badRequest("metadata_expired", { moment: end });
}

const isProvider = (entity: Element): boolean => childrenOf(entity, "IDPSSODescriptor").length > 0;

function entityOf(root: Element, issuer: string | undefined): Element {
  const all = root.name === "EntityDescriptor" ? [root] : descendantsOf(root, "EntityDescriptor");
  const named = all.filter(
    (one) => isProvider(one) && (issuer === undefined || one.attributes["entityID"] === issuer),
  );
  const [entity] = named;
  if (named.length > 1 && issuer === undefined) throw badRequest("metadata_has_several");
  if (!entity || named.length > 1)
    throw issuer
      ? badRequest("metadata_without_this_provider", { issuer })
      : badRequest("metadata_without_provider");
  return entity;
}

function issuerOf({ attributes }: Element): string {
  const issuer = attributes["entityID"] ?? "";
  if (!/^[\x21-\x7e]{1,512}$/.test(issuer)) throw badRequest("metadata_without_entity_id");
  return issuer;
}

function addressOf(role: Element, isDevelopment: boolean): string {
  const services = childrenOf(role, "SingleSignOnService").map(({ attributes }) => attributes);
  const address = services.find(({ Binding }) => Binding === redirectBinding)?.["Location"] ?? "";
  const isAddress = URL.canParse(address) && address.length <= 1000 && !new URL(address).username;
  if (!isAddress || !/^https?:/.test(address)) throw badRequest("metadata_without_sign_on_service");
  if (!isDevelopment && !address.startsWith("https:")) throw badRequest("sign_on_service_not_https");
  return address;
}

function certificatesOf(role: Element): string[] {
  const keys = childrenOf(role, "KeyDescriptor").filter(
    ({ attributes }) => attributes["use"] !== "encryption",
  );
  const written = keys
    .flatMap((key) => descendantsOf(key, "X509Certificate"))
    .map((one) => pureElementText(one) ?? "");
  const certificates = [...new Set(written.map((one) => one.replaceAll(/\s/g, "")))];
  if (certificates.length === 0) throw badRequest("metadata_without_certificate");
  if (certificates.length > samlMetadataLimits.certificates)
    throw badRequest("metadata_with_too_many_certificates", { count: samlMetadataLimits.certificates });
  for (const one of certificates) {
    try {
      new X509Certificate(Buffer.from(one, "base64"));
    } catch {
      throw badRequest("metadata_certificate_unreadable");
    }
  }
  return certificates;
}

/** Regular expressions are skipped, since their extent is hard to judge. */
function scopesOf(entity: Element): string[] {
  const scopes = descendantsOf(entity, "Scope").filter(
    ({ attributes }) => !["true", "1"].includes(attributes["regexp"] ?? ""),
  );
  const texts = scopes.map((one) => pureElementText(one)?.toLowerCase() ?? "");
  return [...new Set(texts.filter((one) => /^[a-z0-9.-]{1,255}$/.test(one)))].slice(
    0,
    samlMetadataLimits.scopes,
  );
}
