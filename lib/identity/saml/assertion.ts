import type { Element } from "../../platform/readers/xml.ts";
import { childrenOf, pureElementText } from "./elements.ts";
import { SamlRefusal } from "./refusals.ts";

export type Assertion = {
  id: string;
  name_id: { value: string; format: string; qualifier?: string; own_qualifier?: string } | undefined;
  attributes: SamlAttribute[];
};

export type SamlAttribute = { name: string; friendly_name?: string; values: string[] };

/** Compared exactly. `now` is in milliseconds. */
export type ExpectedAssertionValues = {
  issuer: string;
  audience: string;
  recipient: string;
  request_id: string;
  now: number;
};

export const allowedClockSkewMs = 60_000;

/** For a verified signature. Throws a `SamlRefusal` if issuer, audience or subject do not match. */
export function checkAndReadAssertion(assertion: Element, expected: ExpectedAssertionValues): Assertion {
  const id = assertion.attributes["ID"] ?? "";
  if (!id) throw new SamlRefusal("malformed");
  const issuer = pureElementText(childrenOf(assertion, "Issuer")[0]);
  if (issuer !== expected.issuer) throw new SamlRefusal("issuer", `it is ${issuer || "missing"}`);
  ensureBegun(assertion.attributes["IssueInstant"], expected.now, "IssueInstant");
  const [subject] = childrenOf(assertion, "Subject");
  ensureConfirmed(subject, expected);
  ensureConditions(assertion, expected);
  return { id, name_id: nameIdOf(subject), attributes: attributesOf(assertion) };
}

/** The subject must have a bearer confirmation for this request and recipient. */
function ensureConfirmed(
  subject: Element | undefined,
  { recipient, request_id, now }: ExpectedAssertionValues,
): void {
  const bearers = childrenOf(subject, "SubjectConfirmation").filter(
    ({ attributes }) => attributes["Method"] === "urn:oasis:names:tc:SAML:2.0:cm:bearer",
  );
  const [bearer] = bearers;
  if (!bearer || bearers.length > 1)
    throw new SamlRefusal("recipient", "there is not exactly one bearer confirmation");
  const attributes = childrenOf(bearer, "SubjectConfirmationData")[0]?.attributes ?? {};
  if (attributes["Recipient"] !== recipient)
    throw new SamlRefusal("recipient", `Recipient is ${attributes["Recipient"] ?? "missing"}`);
  if (attributes["InResponseTo"] !== request_id) throw new SamlRefusal("in_response_to");
  if (!attributes["NotOnOrAfter"]) throw new SamlRefusal("expired", "NotOnOrAfter is missing");
  ensureWithin(attributes, now, "of the subject's confirmation");
}

function ensureConditions(assertion: Element, { audience, now }: ExpectedAssertionValues): void {
  const all = childrenOf(assertion, "Conditions");
  const [conditions] = all;
  if (!conditions || all.length > 1) throw new SamlRefusal("audience", "there are no conditions");
  ensureWithin(conditions.attributes, now, "of the conditions");
  const restrictions = childrenOf(conditions, "AudienceRestriction");
  const named = restrictions.map((one) => childrenOf(one, "Audience").map(pureElementText));
  // All audience restrictions must match.
  if (named.length === 0 || !named.every((one) => one.includes(audience)))
    throw new SamlRefusal("audience", `it is ${named.flat().join(", ") || "missing"}`);
}

function ensureWithin(attributes: Element["attributes"], now: number, of: string): void {
  ensureBegun(attributes["NotBefore"], now, `NotBefore ${of}`);
  const end = attributes["NotOnOrAfter"];
  if (end !== undefined && !(now - allowedClockSkewMs < Date.parse(end)))
    throw new SamlRefusal("expired", `NotOnOrAfter ${of} is ${end}`);
}

function ensureBegun(moment: string | undefined, now: number, what: string): void {
  if (moment !== undefined && !(Date.parse(moment) <= now + allowedClockSkewMs))
    throw new SamlRefusal("not_yet", `${what} is ${moment}`);
}

function nameIdOf(subject: Element | undefined): Assertion["name_id"] {
  const [element] = childrenOf(subject, "NameID");
  const value = pureElementText(element);
  if (!element || !value) return undefined;
  const {
    Format: format = "",
    NameQualifier: qualifier,
    SPNameQualifier: own_qualifier,
  } = element.attributes;
  return { value, format, ...(qualifier && { qualifier }), ...(own_qualifier && { own_qualifier }) };
}

const attributesOf = (assertion: Element): SamlAttribute[] =>
  childrenOf(assertion, "AttributeStatement")
    .flatMap((statement) => childrenOf(statement, "Attribute"))
    .map((attribute) => {
      const { Name: name = "", FriendlyName: friendly_name } = attribute.attributes;
      const values = childrenOf(attribute, "AttributeValue").map(pureElementText);
      return {
        name,
        ...(friendly_name && { friendly_name }),
        values: values.filter((value): value is string => Boolean(value)),
      };
    });
