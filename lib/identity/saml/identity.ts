import { Email } from "../../../schema/api/platform/email.ts";
import { type AffiliationRole, affiliationRoles } from "../../../schema/enums.ts";
import type { Assertion, SamlAttribute } from "./assertion.ts";
import { SamlRefusal } from "./refusals.ts";

export type SamlIdentity = {
  /** The provider's immutable id of the person. */
  subject: string;
  email: string | undefined;
  full_name: string;
  role: AffiliationRole | undefined;
};

export type IdentityRules = {
  issuer: string;
  audience: string;
  /** Allowed scopes (after the @ of scoped attributes), in lowercase. */
  scopes: readonly string[];
  affiliation_roles: Readonly<Record<string, string>>;
};

/** Attribute names: eduPerson and X.500, Entra ID, and plain ones. */
const names = {
  subject_id: ["urn:oasis:names:tc:SAML:attribute:subject-id"],
  pairwise_id: ["urn:oasis:names:tc:SAML:attribute:pairwise-id"],
  email: [
    "urn:oid:0.9.2342.19200300.100.1.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "mail",
    "email",
  ],
  full_name: [
    "urn:oid:2.16.840.1.113730.3.1.241",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "displayName",
  ],
  given_name: [
    "urn:oid:2.5.4.42",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname",
    "givenName",
    "firstName",
  ],
  family_name: [
    "urn:oid:2.5.4.4",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname",
    "sn",
    "lastName",
  ],
  scoped_affiliation: ["urn:oid:1.3.6.1.4.1.5923.1.1.1.9", "eduPersonScopedAffiliation"],
  affiliation: ["urn:oid:1.3.6.1.4.1.5923.1.1.1.1", "eduPersonAffiliation"],
} as const;

const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

/** Throws a `SamlRefusal` without a persistent identifier, or for one of a foreign scope. */
export function samlIdentityFromAssertion(assertion: Assertion, rules: IdentityRules): SamlIdentity {
  const valuesOf = (name: keyof typeof names): string[] =>
    assertion.attributes.filter((one) => isNamed(one, names[name])).flatMap(({ values }) => values);
  const { data: email } = Email.safeParse(valuesOf("email")[0]);
  const subject = subjectOf(assertion, valuesOf, rules);
  const affiliations = [
    ...valuesOf("affiliation"),
    ...valuesOf("scoped_affiliation").flatMap((one) => unscoped(one, rules.scopes) ?? []),
  ];
  const [given] = valuesOf("given_name");
  const [family] = valuesOf("family_name");
  const name = valuesOf("full_name")[0] ?? [given, family].filter(Boolean).join(" ");
  return {
    subject,
    email,
    full_name: storable(name) || email?.split("@")[0] || "",
    role: highestRole(affiliations, rules.affiliation_roles),
  };
}

const isNamed = ({ name }: SamlAttribute, all: readonly string[]): boolean => all.includes(name);

function subjectOf(
  { name_id }: Assertion,
  valuesOf: (name: "subject_id" | "pairwise_id") => string[],
  rules: IdentityRules,
): string {
  for (const name of ["subject_id", "pairwise_id"] as const) {
    const [value, ...others] = valuesOf(name);
    if (value === undefined) continue;
    const id = value.toLowerCase();
    if (others.length > 0 || !/^[a-z0-9][a-z0-9=-]{0,126}@[a-z0-9][a-z0-9.-]{0,126}$/.test(id))
      throw new SamlRefusal("identifier", `${name.replace("_", "-")} is not one value of the form id@scope`);
    if (unscoped(id, rules.scopes) === undefined)
      throw new SamlRefusal("scope", `the scope of ${name.replace("_", "-")} is ${id.split("@")[1]}`);
    return id;
  }
  if (name_id?.format !== persistent)
    throw new SamlRefusal("identifier", `the format of the NameID is ${name_id?.format || "missing"}`);
  const isForeign =
    (name_id.qualifier ?? rules.issuer) !== rules.issuer ||
    (name_id.own_qualifier ?? rules.audience) !== rules.audience;
  if (isForeign) throw new SamlRefusal("scope", "the NameID is qualified by another provider");
  if (!/^[\x20-\x7e]{1,255}$/.test(name_id.value))
    throw new SamlRefusal("identifier", "the NameID cannot be stored");
  return name_id.value;
}

/** The part before the @ if the scope is allowed. */
function unscoped(value: string, scopes: readonly string[]): string | undefined {
  const at = value.lastIndexOf("@");
  return at > 0 && scopes.includes(value.slice(at + 1).toLowerCase()) ? value.slice(0, at) : undefined;
}

function highestRole(affiliations: readonly string[], table: IdentityRules["affiliation_roles"]) {
  const given = affiliations.map((one) => one.toLowerCase()).filter((one) => Object.hasOwn(table, one));
  const roles = given.map((one) => table[one]);
  return affiliationRoles.findLast((role) => roles.includes(role));
}

function storable(text: string): string {
  const shown = text.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ").trim();
  return [...shown].slice(0, 255).join("");
}

/** Attribute names, counts and scopes for diagnosis, never values. */
export type SamlAttributeSummary = {
  name_id_format: string | null;
  attributes: { name: string; friendly_name: string | null; values: number; scopes: string[] }[];
};

const samlAttributeLimits = { attributes: 60, scopes: 5, length: 255 };

export function summarizeAttributes({ name_id, attributes }: Assertion): SamlAttributeSummary {
  const scopesOf = (values: string[]) => {
    const scopes = values.flatMap((value) => /^[^@]*@([\w.-]{1,255})$/.exec(value)?.[1] ?? []);
    return [...new Set(scopes)].slice(0, samlAttributeLimits.scopes);
  };
  const seen = attributes.map(({ name, friendly_name, values }) => ({
    name: storable(name).slice(0, samlAttributeLimits.length),
    friendly_name: friendly_name ? storable(friendly_name).slice(0, samlAttributeLimits.length) : null,
    values: values.length,
    scopes: scopesOf(values),
  }));
  return {
    name_id_format: name_id ? storable(name_id.format).slice(0, samlAttributeLimits.length) : null,
    attributes: seen.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, samlAttributeLimits.attributes),
  };
}
