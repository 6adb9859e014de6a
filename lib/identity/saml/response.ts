import { type CacheProvider, SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import type { SamlSignedPart } from "../../../schema/enums.ts";
import { type Element, readXml, XmlError } from "../../platform/readers/xml.ts";
import {
  type Assertion,
  allowedClockSkewMs,
  checkAndReadAssertion,
  type ExpectedAssertionValues,
} from "./assertion.ts";
import { childrenOf, descendantsOf, pureElementText, samlXmlNameRules } from "./elements.ts";
import { SamlRefusal, type SamlRefusalReason } from "./refusals.ts";
import {
  allowedSignatureMethodUris,
  ensureAllowedAlgorithms,
  ensureSamlStatusSuccess,
  ensureUnambiguousXml,
} from "./signed-info.ts";

export type SamlResponseToVerify = ExpectedAssertionValues & {
  response: string;
  signed: SamlSignedPart;
  /** The provider's signing certificates, DER in base64. */
  certificates: string[];
  /** The service's keys (PEM) for decryption. */
  private_keys: readonly string[];
};

/** `is_signed` means that the provider signed the rejected content. */
export type AssertionOrRefusal =
  | { assertion: Assertion }
  | { refused: SamlRefusalReason; detail: string | undefined; is_signed: boolean };

const digests = [
  "http://www.w3.org/2001/04/xmlenc#sha256",
  "http://www.w3.org/2001/04/xmlenc#sha512",
  "http://www.w3.org/2001/04/xmldsig-more#sha384",
];

/**
 * Only content covered by a valid signature counts: it is read from the verified XML, never the raw response.
 * Never throws.
 */
export async function verifySamlResponse(given: SamlResponseToVerify): Promise<AssertionOrRefusal> {
  let refused: Exclude<AssertionOrRefusal, { assertion: Assertion }> | undefined;
  for (const private_key of given.private_keys) {
    const read = await readWithKey(given, private_key);
    // The wrong key can fail in many ways, so the next key is tried.
    if ("assertion" in read || read.is_signed) return read;
    if (refused === undefined || refused.refused === "decryption") refused = read;
  }
  return refused ?? { refused: "decryption", detail: undefined, is_signed: false };
}

async function readWithKey(given: SamlResponseToVerify, private_key: string): Promise<AssertionOrRefusal> {
  let verifying: VerifyingSaml | undefined;
  try {
    const root = rootOf(Buffer.from(given.response, "base64").toString("utf8"));
    ensureSamlStatusSuccess(
      descendantsOf(root, "StatusCode").map(({ attributes }) => attributes["Value"] ?? ""),
    );
    const isEncrypted = ensureOneAssertion(root);
    ensureAlgorithms(root);
    verifying = new VerifyingSaml(given, private_key, isEncrypted);
    await verifying.validatePostResponseAsync({ SAMLResponse: given.response });
    if (!verifying.assertion) throw new SamlRefusal("signature");
    ensureIssuer(root, given);
    ensureDestination(root, given, verifying.wantsSignedResponse);
    return { assertion: verifying.assertion };
  } catch (error) {
    const { reason, detail } = error instanceof SamlRefusal ? error : refusalOf(error);
    return { refused: reason, detail: detail?.slice(0, 400), is_signed: verifying?.isVerified ?? false };
  }
}

/** The raw response, used only to reject it early. Ambiguous XML is rejected. */
function rootOf(xml: string): Element {
  const root = wellFormed(xml);
  if (root.name !== "Response" || root.attributes["Version"] !== "2.0") throw new SamlRefusal("malformed");
  return root;
}

function wellFormed(xml: string): Element {
  ensureUnambiguousXml(xml);
  try {
    return readXml(xml, samlXmlNameRules);
  } catch (error) {
    if (error instanceof XmlError) throw new SamlRefusal("malformed", error.message);
    throw error;
  }
}

/** Whether the single assertion is encrypted. One in any other place is treated as an attack. */
function ensureOneAssertion(root: Element): boolean {
  const encrypted = descendantsOf(root, "EncryptedAssertion");
  const all = [...descendantsOf(root, "Assertion"), ...encrypted];
  const own = [...childrenOf(root, "Assertion"), ...childrenOf(root, "EncryptedAssertion")];
  if (all.length !== 1 || own.length !== 1) throw new SamlRefusal("assertions", `there are ${all.length}`);
  return encrypted.length === 1;
}

/** Only signature algorithms are checked. Key encryption may use SHA-1, the default of RSA-OAEP. */
function ensureAlgorithms(root: Element): void {
  const methods = descendantsOf(root, "SignatureMethod");
  const references = descendantsOf(root, "Reference").flatMap((one) => childrenOf(one, "DigestMethod"));
  const algorithmsOf = (elements: Element[]) =>
    elements.map(({ attributes }) => attributes["Algorithm"] ?? "");
  ensureAllowedAlgorithms(algorithmsOf(methods), allowedSignatureMethodUris);
  ensureAllowedAlgorithms(algorithmsOf(references), digests);
}

/** A response may omit its issuer. The assertion always has one. */
function ensureIssuer(root: Element, { issuer }: ExpectedAssertionValues): void {
  const other = childrenOf(root, "Issuer").find((one) => pureElementText(one) !== issuer);
  if (other) throw new SamlRefusal("issuer", `the response's is ${pureElementText(other) || "missing"}`);
}

function ensureDestination(
  { attributes }: Element,
  { recipient }: ExpectedAssertionValues,
  isSigned: boolean,
): void {
  const { Destination: destination } = attributes;
  if (destination === undefined ? isSigned : destination !== recipient)
    throw new SamlRefusal("destination", `it is ${destination ?? "missing"}`);
}

/** Decrypted XML gets the same checks. */
function readVerified(xml: string): Element {
  const assertion = wellFormed(xml);
  if (assertion.name !== "Assertion") throw new SamlRefusal("malformed");
  if (descendantsOf(assertion, "Assertion").length > 0) throw new SamlRefusal("assertions");
  ensureAlgorithms(assertion);
  return assertion;
}

/** Verifies signatures and reads the signed assertion, with the service's clock. */
class VerifyingSaml extends SAML {
  assertion: Assertion | undefined;
  isVerified = false;
  readonly wantsSignedResponse: boolean;
  readonly #given: SamlResponseToVerify;

  constructor(given: SamlResponseToVerify, private_key: string, isEncrypted: boolean) {
    // Without a signed response around it, anyone could have encrypted the assertion.
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
      acceptedClockSkewMs: allowedClockSkewMs,
    });
    this.wantsSignedResponse = wantsSignedResponse;
    this.#given = given;
  }

  /** Our checks run first and give specific errors. The library's own follow. */
  protected override processValidlySignedAssertionAsync(
    ...[xml, ...rest]: Parameters<SAML["processValidlySignedAssertionAsync"]>
  ) {
    this.isVerified = true;
    this.assertion = checkAndReadAssertion(readVerified(xml), this.#given);
    return super.processValidlySignedAssertionAsync(xml, ...rest);
  }

  protected override checkTimestampsValidityError(
    ...[, ...rest]: Parameters<SAML["checkTimestampsValidityError"]>
  ) {
    return super.checkTimestampsValidityError(this.#given.now, ...rest);
  }
}

/**
 * Takes the request ID from the browser's cookie instead of a store. A forged response does not consume it;
 * an accepted assertion is consumed by its own id.
 */
const onlyRequest = (requestId: string): CacheProvider => ({
  saveAsync: async () => null,
  async getAsync(id) {
    if (id !== requestId) throw new SamlRefusal("in_response_to");
    // The library compares this with the system clock. The cookie limits the request's age.
    return new Date().toISOString();
  },
  removeAsync: async () => null,
});

/** Maps the library's errors by message. Unknown ones count as an invalid signature. */
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
