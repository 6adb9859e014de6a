import { HttpError } from "../../errors.ts";

/** Status, text for the user, and advice for the provider's operator. */
const reasons = {
  not_begun: [
    400,
    "This sign-in was not begun in this browser, or over ten minutes ago. Begin it again here, not at your institution.",
    "A response that nobody asked for is not taken: sign-ins begin at this service (no IdP-initiated sign-on). The cookie of the login is SameSite=None; Secure, and has to come back with the response; so has RelayState.",
  ],
  unknown_provider: [
    404,
    "Your institution does not sign people in here. Go back, and choose another way to sign in.",
    "The entityID that the discovery service answered is that of no identity provider whose domains were granted here, or of those of several universities: the return address has to say which (university_id).",
  ],
  bad_request: [
    400,
    "What your institution sent cannot be read.",
    "Post SAMLResponse, as base64, and RelayState as it was given, to the assertion consumer service.",
  ],
  too_large: [
    413,
    "What your institution sent is too large.",
    "A response may be 256 KB at most: release fewer attributes or group memberships.",
  ],
  doctype: [
    400,
    "What your institution sent is not allowed.",
    "A response with a document type is not taken.",
  ],
  markup: [
    400,
    "What your institution sent is not allowed.",
    "A response with comments, CDATA or processing instructions is not taken.",
  ],
  malformed: [
    400,
    "What your institution sent cannot be read.",
    "The response is no well-formed SAML 2.0 Response, or is nested too deeply.",
  ],
  provider_refused: [
    400,
    "Your institution did not sign you in.",
    "The response has a status other than Success.",
  ],
  assertions: [
    400,
    "What your institution sent is not allowed.",
    "A response has to have exactly one assertion, directly within it.",
  ],
  algorithm: [
    400,
    "What your institution sent is not signed as it has to be.",
    "Sign with RSA or ECDSA and SHA-256, SHA-384 or SHA-512; SHA-1 is not taken.",
  ],
  signature: [
    400,
    "What your institution sent is not signed as it has to be.",
    "What has to be signed is not, or not with a key of the provider's metadata as it is known here.",
  ],
  decryption: [
    400,
    "What your institution sent cannot be read.",
    "Encrypt for the key of this service's metadata as it is now, with AES-GCM or AES-CBC and RSA-OAEP.",
  ],
  in_response_to: [
    400,
    "What your institution sent belongs to another sign-in. Begin again.",
    "InResponseTo, of the response and of the subject's confirmation, has to be the ID of the request that this browser made.",
  ],
  issuer: [
    400,
    "What your institution sent is from someone else.",
    "The issuer has to be the entity ID that is known here.",
  ],
  audience: [
    400,
    "What your institution sent is for someone else.",
    "The audience has to be this service's entity ID.",
  ],
  recipient: [
    400,
    "What your institution sent is for someone else.",
    "The subject's confirmation has to be a bearer's, with the assertion consumer service as its Recipient.",
  ],
  destination: [
    400,
    "What your institution sent is for someone else.",
    "The response's Destination has to be the assertion consumer service.",
  ],
  expired: [
    400,
    "What your institution sent has expired. Begin again.",
    "NotOnOrAfter has passed by more than a minute, or the subject's confirmation has none: look at the provider's clock.",
  ],
  not_yet: [
    400,
    "What your institution sent is from the future. Begin again.",
    "IssueInstant or NotBefore is more than a minute ahead: look at the provider's clock.",
  ],
  replayed: [400, "This sign-in was finished already. Begin again.", "Each assertion is taken once."],
  identifier: [
    403,
    "Your institution does not say who you are in a way that lasts.",
    "Release subject-id (urn:oasis:names:tc:SAML:attribute:subject-id), pairwise-id (urn:oasis:names:tc:SAML:attribute:pairwise-id), or a NameID of the format urn:oasis:names:tc:SAML:2.0:nameid-format:persistent.",
  ],
  scope: [
    403,
    "Your institution names you as someone of another institution.",
    "A scoped attribute has a scope that is none of the provider's: those of shibmd:Scope in its metadata or, without any, the domains of the university.",
  ],
  domain: [
    403,
    "Your institution may not vouch for your e-mail address here.",
    "The first time, release mail (urn:oid:0.9.2342.19200300.100.1.3) with an address of a domain that the platform has granted the university.",
  ],
  taken: [
    403,
    "Your account is inactive, or belongs to someone else at your institution.",
    "The address belongs to an account that another identifier of this provider signs in to: the identifier of a person must not change.",
  ],
  inactive_university: [
    403,
    "Your institution is not active here at the moment.",
    "The university is inactive: nobody new is taken in.",
  ],
  metadata_expired: [
    503,
    "Your institution's description has expired here.",
    "The metadata's validUntil has passed: publish it anew, or give it to the university's administrator.",
  ],
  busy: [
    503,
    "There is no time to read what your institution sent. Try again in a minute.",
    "Nothing is missing: the service is busy.",
  ],
} as const satisfies Record<string, readonly [status: number, words: string, forOperators: string]>;

const codeOf = (reason: string): string => `saml_${reason}`;

export const samlRefusals = Object.entries(reasons).map(
  ([reason, [, words]]) => [codeOf(reason), words] as const,
);

export type SamlRefusalReason = keyof typeof reasons;

/** Empty if the reason no longer exists. */
export const operatorWords = (reason: string): string =>
  Object.hasOwn(reasons, reason) ? reasons[reason as SamlRefusalReason][2] : "";

/** As counted in metrics. */
export type SamlOutcome = "accepted" | SamlRefusalReason;

/** `detail` is the value found, if it was verified. */
export class SamlRefusal extends HttpError {
  override name = "SamlRefusal";
  readonly reason: SamlRefusalReason;
  readonly detail: string | undefined;
  readonly forOperators: string;

  constructor(reason: SamlRefusalReason, detail?: string) {
    const [status, words, forOperators] = reasons[reason];
    super(status, codeOf(reason), words);
    this.reason = reason;
    this.detail = detail;
    this.forOperators = forOperators;
  }
}
