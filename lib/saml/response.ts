import { type CacheProvider, SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import type { SamlSignedPart } from "../../schema/enums.ts";
import { type Element, readXml, XmlError } from "../readers/xml.ts";
import { type Assertion, type Expected, readAssertion, skewMs } from "./assertion.ts";
import { childrenOf, descendantsOf, samlNames } from "./elements.ts";
import { SamlRefusal, type SamlRefusalReason } from "./refusals.ts";

/** A response as it came, in base64, and all that it is checked against. */
export type ResponseGiven = Expected & {
  response: string;
  signed: SamlSignedPart;
  /** What the provider may sign with: certificates as DER in base64. */
  certificates: string[];
  /** This service's own, as PEM: what is encrypted is for one of them. */
  private_keys: readonly string[];
};

/** What was read, or why it is refused; `is_signed` tells that the provider said what it is refused for. */
export type ResponseRead =
  | { assertion: Assertion }
  | { refused: SamlRefusalReason; detail: string | undefined; is_signed: boolean };

const digests = ["http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmlenc#sha512"];
const signatures = [
  "rsa-sha256",
  "rsa-sha384",
  "rsa-sha512",
  "ecdsa-sha256",
  "ecdsa-sha384",
  "ecdsa-sha512",
].map((name) => `http://www.w3.org/2001/04/xmldsig-more#${name}`);
const sha384 = "http://www.w3.org/2001/04/xmldsig-more#sha384";

/**
 * Reads a response of an identity provider. Of what it says only that counts which a valid signature covers: it is read
 * from what was verified, never from the response beside it. Throws nothing that a response can cause.
 */
export async function readResponse(given: ResponseGiven): Promise<ResponseRead> {
  let refused: Exclude<ResponseRead, { assertion: Assertion }> | undefined;
  for (const private_key of given.private_keys) {
    const read = await readWithKey(given, private_key);
    // What a wrong key makes of a response may fail in any way, as where its number is beyond that key's modulus.
    if ("assertion" in read || read.is_signed) return read;
    if (refused === undefined || refused.refused === "decryption") refused = read;
  }
  return refused ?? { refused: "decryption", detail: undefined, is_signed: false };
}

async function readWithKey(given: ResponseGiven, private_key: string): Promise<ResponseRead> {
  let verifying: VerifyingSaml | undefined;
  try {
    const root = rootOf(Buffer.from(given.response, "base64").toString("utf8"));
    ensureStatus(root);
    const isEncrypted = ensureOneAssertion(root);
    ensureAlgorithms(root);
    verifying = new VerifyingSaml(given, private_key, isEncrypted);
    await verifying.validatePostResponseAsync({ SAMLResponse: given.response });
    if (!verifying.assertion) throw new SamlRefusal("signature");
    ensureDestination(root, given, verifying.wantsSignedResponse);
    return { assertion: verifying.assertion };
  } catch (error) {
    const { reason, detail } = error instanceof SamlRefusal ? error : refusalOf(error);
    return { refused: reason, detail: detail?.slice(0, 400), is_signed: verifying?.isVerified ?? false };
  }
}

/** The response as it is looked at to refuse it; what a parser may take for something else is not looked at twice. */
function rootOf(xml: string): Element {
  const root = wellFormed(xml);
  if (root.name !== "Response" || root.attributes["Version"] !== "2.0") throw new SamlRefusal("malformed");
  return root;
}

function wellFormed(xml: string): Element {
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw new SamlRefusal("doctype");
  const [, body = ""] = /^\s*(?:<\?xml\s[^>?]{0,200}\?>)?([\s\S]*)$/.exec(xml) ?? [];
  if (body.includes("<!") || body.includes("<?")) throw new SamlRefusal("markup");
  try {
    return readXml(xml, samlNames);
  } catch (error) {
    if (error instanceof XmlError) throw new SamlRefusal("malformed", error.message);
    throw error;
  }
}

/** Providers leave refusals unsigned: of the status no more is told than its code. */
function ensureStatus(root: Element): void {
  const codes = descendantsOf(root, "StatusCode").map(({ attributes }) => attributes["Value"] ?? "");
  const [code = ""] = codes;
  if (code === "urn:oasis:names:tc:SAML:2.0:status:Success") return;
  const names = codes.map((one) => /[A-Za-z]{1,40}$/.exec(one)?.[0]).filter(Boolean);
  throw new SamlRefusal("provider_refused", `its status is ${names.join(", ") || "missing"}`);
}

/** Whether the one assertion is encrypted. One that is anywhere else is taken for what it is: an attempt. */
function ensureOneAssertion(root: Element): boolean {
  const encrypted = descendantsOf(root, "EncryptedAssertion");
  const all = [...descendantsOf(root, "Assertion"), ...encrypted];
  const own = [...childrenOf(root, "Assertion"), ...childrenOf(root, "EncryptedAssertion")];
  if (all.length !== 1 || own.length !== 1) throw new SamlRefusal("assertions", `there are ${all.length}`);
  return encrypted.length === 1;
}

/** The digest of an encrypted key may be SHA-1, as RSA-OAEP has it by default: only those of signatures are looked at. */
function ensureAlgorithms(root: Element): void {
  const methods = descendantsOf(root, "SignatureMethod");
  const references = descendantsOf(root, "Reference").flatMap((one) => childrenOf(one, "DigestMethod"));
  const weak = [
    ...methods
      .map(({ attributes }) => attributes["Algorithm"] ?? "")
      .filter((one) => !signatures.includes(one)),
    ...references
      .map(({ attributes }) => attributes["Algorithm"] ?? "")
      .filter((one) => ![...digests, sha384].includes(one)),
  ];
  if (weak.length > 0) throw new SamlRefusal("algorithm", `it uses ${weak[0] || "none"}`);
}

function ensureDestination({ attributes }: Element, { recipient }: Expected, isSigned: boolean): void {
  const { Destination: destination } = attributes;
  if (destination === undefined ? isSigned : destination !== recipient)
    throw new SamlRefusal("destination", `it is ${destination ?? "missing"}`);
}

/** What was encrypted is looked at as closely as what was not. */
function readVerified(xml: string): Element {
  const assertion = wellFormed(xml);
  if (assertion.name !== "Assertion") throw new SamlRefusal("malformed");
  if (descendantsOf(assertion, "Assertion").length > 0) throw new SamlRefusal("assertions");
  ensureAlgorithms(assertion);
  return assertion;
}

/** Verifies signatures, and reads the assertion that one covers; the time is the service's. */
class VerifyingSaml extends SAML {
  assertion: Assertion | undefined;
  isVerified = false;
  readonly wantsSignedResponse: boolean;
  readonly #given: ResponseGiven;

  constructor(given: ResponseGiven, private_key: string, isEncrypted: boolean) {
    // An encrypted assertion that no signed response has around it could be anyone's for this key.
    const wantsSignedResponse = given.signed !== "assertion" || isEncrypted;
    super({
      idpCert: given.certificates,
      idpIssuer: given.issuer,
      issuer: given.audience,
      audience: given.audience,
      callbackUrl: given.recipient,
      decryptionPvk: private_key,
      wantAuthnResponseSigned: wantsSignedResponse,
      wantAssertionsSigned: given.signed !== "response",
      validateInResponseTo: ValidateInResponseTo.always,
      cacheProvider: onlyRequest(given.request_id),
      acceptedClockSkewMs: skewMs,
    });
    this.wantsSignedResponse = wantsSignedResponse;
    this.#given = given;
  }

  /** What is wrong with what was verified is said here; the package's own checks of the same come after. */
  protected override processValidlySignedAssertionAsync(
    ...[xml, ...rest]: Parameters<SAML["processValidlySignedAssertionAsync"]>
  ) {
    this.isVerified = true;
    this.assertion = readAssertion(readVerified(xml), this.#given);
    return super.processValidlySignedAssertionAsync(xml, ...rest);
  }

  protected override checkTimestampsValidityError(
    ...[, ...rest]: Parameters<SAML["checkTimestampsValidityError"]>
  ) {
    return super.checkTimestampsValidityError(this.#given.now, ...rest);
  }
}

/**
 * The one request that the browser's cookie holds, in place of those that a process remembers. Nothing takes it away: a
 * forged response burns nothing, and what is accepted is taken once by its id.
 */
const onlyRequest = (requestId: string): CacheProvider => ({
  saveAsync: async () => null,
  async getAsync(id) {
    if (id !== requestId) throw new SamlRefusal("in_response_to");
    // node-saml compares it with the clock of the machine; how old the request is says its cookie.
    return new Date().toISOString();
  },
  removeAsync: async () => null,
});

/** What node-saml throws, by its words: whatever it has no name for is a signature that does not hold. */
function refusalOf(error: unknown): { reason: SamlRefusalReason; detail?: string } {
  const words = error instanceof Error ? error.message : String(error);
  if (/InResponseTo/.test(words)) return { reason: "in_response_to" };
  if (/multiple assertions/.test(words)) return { reason: "assertions" };
  if (
    /decrypt|EncryptedAssertion|OAEP|rsa routines|cipher|padding|encrypted|authenticate data|key/i.test(
      words,
    ) &&
    !/signature/i.test(words)
  )
    return { reason: "decryption" };
  return { reason: "signature" };
}
