import { HttpError } from "../../errors.ts";

/** Status, text for the user, and advice for the provider's operator. */
const reasons = {
  not_begun: [
    400,
    "This sign-in was not started in this browser, or over ten minutes ago. Start again here, not at your institution.",
    "Unsolicited responses are rejected: start sign-ins at this service (no IdP-initiated sign-on). The response must come with the login cookie (SameSite=None; Secure) and with RelayState.",
  ],
  unknown_provider: [
    404,
    "Your institution cannot sign you in here. Go back and choose another way to sign in.",
    "The discovery service returned an entityID that belongs to no identity provider with granted domains, or to providers of several universities. In that case, the return address must name one (university_id).",
  ],
  bad_request: [
    400,
    "The response of your institution cannot be read.",
    "Post SAMLResponse (base64) and the unchanged RelayState to the assertion consumer service.",
  ],
  too_large: [
    413,
    "The response of your institution is too large.",
    "A response can have at most 256 KB. Release fewer attributes or group memberships.",
  ],
  doctype: [
    400,
    "The response of your institution is not allowed.",
    "A response with a document type is rejected.",
  ],
  markup: [
    400,
    "The response of your institution is not allowed.",
    "A response with comments, CDATA or processing instructions is rejected.",
  ],
  malformed: [
    400,
    "The response of your institution cannot be read.",
    "The response is not a well-formed SAML 2.0 Response, or is nested too deeply.",
  ],
  provider_refused: [
    400,
    "Your institution did not sign you in.",
    "The response has a status other than Success.",
  ],
  assertions: [
    400,
    "The response of your institution is not allowed.",
    "A response must contain exactly one assertion, as a direct child.",
  ],
  algorithm: [
    400,
    "The response of your institution is not signed correctly.",
    "Sign with RSA or ECDSA and SHA-256, SHA-384 or SHA-512. SHA-1 is rejected.",
  ],
  signature: [
    400,
    "The response of your institution is not signed correctly.",
    "A required signature is missing, or was not made with a key of the provider's metadata that is stored here.",
  ],
  decryption: [
    400,
    "The response of your institution cannot be read.",
    "Encrypt for the key in this service's current metadata, with AES-GCM or AES-CBC and RSA-OAEP.",
  ],
  in_response_to: [
    400,
    "The response of your institution belongs to another sign-in. Start again.",
    "InResponseTo of the response and of the subject's confirmation must be the ID of this browser's request.",
  ],
  issuer: [
    400,
    "The response is from another sender than your institution.",
    "The issuer must be the entity ID that is stored here.",
  ],
  audience: [
    400,
    "The response of your institution is for another recipient.",
    "The audience must be this service's entity ID.",
  ],
  recipient: [
    400,
    "The response of your institution is for another recipient.",
    "The subject's confirmation must be of type bearer, with the assertion consumer service as its Recipient.",
  ],
  destination: [
    400,
    "The response of your institution is for another recipient.",
    "The response's Destination must be the assertion consumer service.",
  ],
  expired: [
    400,
    "The response of your institution has expired. Start again.",
    "NotOnOrAfter passed more than a minute ago, or is missing from the subject's confirmation. Check the provider's clock.",
  ],
  not_yet: [
    400,
    "The response of your institution is dated in the future. Start again.",
    "IssueInstant or NotBefore is more than a minute ahead. Check the provider's clock.",
  ],
  replayed: [400, "This sign-in was already finished. Start again.", "Each assertion is accepted once."],
  identifier: [
    403,
    "Your institution does not send a permanent identifier for you.",
    "Release subject-id (urn:oasis:names:tc:SAML:attribute:subject-id), pairwise-id (urn:oasis:names:tc:SAML:attribute:pairwise-id), or a NameID of the format urn:oasis:names:tc:SAML:2.0:nameid-format:persistent.",
  ],
  scope: [
    403,
    "Your institution identifies you as a member of another institution.",
    "A scoped attribute has a scope that the provider may not use. Allowed are the shibmd:Scope values of its metadata or, without any, the domains of the university.",
  ],
  domain: [
    403,
    "Your institution is not trusted for the domain of your e-mail address here.",
    "For the first sign-in, release mail (urn:oid:0.9.2342.19200300.100.1.3) with an address in a domain that the platform has granted to the university.",
  ],
  taken: [
    403,
    "Your account is inactive, or is linked to another person at your institution.",
    "The address belongs to an account that is linked to another identifier of this provider. The identifier of a person must not change.",
  ],
  inactive_university: [
    403,
    "Your institution is not active here at the moment.",
    "The university is inactive, so new people cannot sign in.",
  ],
  metadata_expired: [
    503,
    "The stored metadata of your institution has expired.",
    "The metadata's validUntil has passed. Publish new metadata, or send it to the university's administrator.",
  ],
  busy: [
    503,
    "The service is too busy to read the response of your institution. Try again in a minute.",
    "The response is not at fault: the service is busy.",
  ],
} as const satisfies Record<string, readonly [status: number, words: string, forOperators: string]>;

const codeOf = (reason: string): string => `saml_${reason}`;

export const samlRefusalMessages = Object.entries(reasons).map(
  ([reason, [, words]]) => [codeOf(reason), words] as const,
);

export type SamlRefusalReason = keyof typeof reasons;

/** Empty if the reason no longer exists. */
export const samlRefusalOperatorAdvice = (reason: string): string =>
  Object.hasOwn(reasons, reason) ? reasons[reason as SamlRefusalReason][2] : "";

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
