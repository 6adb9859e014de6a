import { randomBytes } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { SignedXml } from "xml-crypto";
import { encrypt } from "xml-encryption";
import { generateServiceSamlKey, type ServiceSamlKey } from "../../lib/identity/saml/own-certificate.ts";

/** The content of a response. Each test changes what it checks. */
export type SamlAnswer = {
  sign: "both" | "response" | "assertion" | "none";
  key: ServiceSamlKey;
  signatureAlgorithm: string;
  digestAlgorithm: string;
  issuer: string;
  inResponseTo: string | undefined;
  destination: string | undefined;
  recipient: string;
  audience: string;
  /** Time of the response, in milliseconds. */
  at: number;
  notBefore: number;
  notOnOrAfter: number;
  assertionId: string;
  nameId: { format: string; value: string } | undefined;
  attributes: Record<string, string[]>;
  status: string;
  /** The certificate for encrypting the assertion, as DER in base64. */
  encryptFor: string | undefined;
  /** Applied to the assertion before signing, and to the response after. */
  writeAssertion: (xml: string) => string;
  tamper: (xml: string) => string;
};

export const persistentFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
export const oids = {
  subjectId: "urn:oasis:names:tc:SAML:attribute:subject-id",
  mail: "urn:oid:0.9.2342.19200300.100.1.3",
  displayName: "urn:oid:2.16.840.1.113730.3.1.241",
  scopedAffiliation: "urn:oid:1.3.6.1.4.1.5923.1.1.1.9",
};

const rsaSha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const sha256 = "http://www.w3.org/2001/04/xmlenc#sha256";

export async function makeSamlProvider(now: () => Date) {
  const [key, otherKey] = await Promise.all([generateServiceSamlKey(now()), generateServiceSamlKey(now())]);
  const issuer = "https://idp.example.edu/saml";
  const sso = "https://idp.example.edu/sso?keep=this";
  const entity = (scopes: string[] = [], id = issuer, more = "") => `
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:shibmd="urn:mace:shibboleth:metadata:1.0" entityID="${id}"${more}>
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:Extensions>${scopes.map((scope) => `<shibmd:Scope regexp="false">${scope}</shibmd:Scope>`).join("")}</md:Extensions>
    <md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${key.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${sso}"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;
  return { issuer, sso, key, otherKey, metadata: entity };
}

export type SamlProviderStandIn = Awaited<ReturnType<typeof makeSamlProvider>>;

/** Parses a browser's SAML request as the provider does. */
export function requestIn(address: URL): { id: string; acs: string; issuer: string; xml: string } {
  const xml = inflateRawSync(Buffer.from(address.searchParams.get("SAMLRequest") ?? "", "base64")).toString();
  const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1] ?? "";
  const issuer = /<saml:Issuer[^>]*>([^<]*)</.exec(xml)?.[1] ?? "";
  return { id: attribute("ID"), acs: attribute("AssertionConsumerServiceURL"), issuer, xml };
}

/** A signed federation file with several providers. */
export const aggregateOf = (entities: string[], validUntil: string, key: ServiceSamlKey): string =>
  signed(
    `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ID="all" validUntil="${validUntil}">${entities.join("")}</md:EntitiesDescriptor>`,
    { element: "EntitiesDescriptor", after: undefined },
    { key, signatureAlgorithm: rsaSha256, digestAlgorithm: sha256 },
  );

/** The response to a request, in base64. */
export async function answerTo(
  provider: SamlProviderStandIn,
  request: { id: string; acs: string; issuer: string },
  at: number,
  changes: Partial<SamlAnswer> = {},
): Promise<string> {
  const answer: SamlAnswer = {
    ...{ sign: "both", key: provider.key, signatureAlgorithm: rsaSha256, digestAlgorithm: sha256 },
    ...{
      issuer: provider.issuer,
      inResponseTo: request.id,
      destination: request.acs,
      recipient: request.acs,
    },
    ...{ audience: request.issuer, at, notBefore: at, notOnOrAfter: at + 300_000 },
    assertionId: `_${randomBytes(12).toString("hex")}`,
    nameId: { format: persistentFormat, value: "person-1" },
    attributes: {},
    status: "urn:oasis:names:tc:SAML:2.0:status:Success",
    encryptFor: undefined,
    writeAssertion: (xml) => xml,
    tamper: (xml) => xml,
    ...changes,
  };
  const xml = answer.tamper(await responseOf(answer));
  return Buffer.from(xml).toString("base64");
}

async function responseOf(answer: SamlAnswer): Promise<string> {
  const { sign, encryptFor } = answer;
  const written = answer.writeAssertion(assertionOf(answer));
  const isSigned = sign === "both" || sign === "assertion";
  const assertion = isSigned ? signed(written, { element: "Assertion", after: "Issuer" }, answer) : written;
  const inner = encryptFor ? await encrypted(assertion, encryptFor) : assertion;
  const to = answer.inResponseTo === undefined ? "" : ` InResponseTo="${answer.inResponseTo}"`;
  const destination = answer.destination === undefined ? "" : ` Destination="${answer.destination}"`;
  const response = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r${randomBytes(8).toString("hex")}" Version="2.0" IssueInstant="${moment(answer.at)}"${destination}${to}><saml:Issuer>${answer.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${answer.status}"/></samlp:Status>${inner}</samlp:Response>`;
  return sign === "both" || sign === "response"
    ? signed(response, { element: "Response", after: "Issuer" }, answer)
    : response;
}

const moment = (at: number): string => new Date(at).toISOString();

function assertionOf(answer: SamlAnswer): string {
  const { nameId, attributes, at, notBefore, notOnOrAfter, inResponseTo, recipient } = answer;
  const name = nameId ? `<saml:NameID Format="${nameId.format}">${nameId.value}</saml:NameID>` : "";
  const to = inResponseTo === undefined ? "" : ` InResponseTo="${inResponseTo}"`;
  const told = Object.entries(attributes).map(
    ([key, values]) =>
      `<saml:Attribute Name="${key}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri">${values
        .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
        .join("")}</saml:Attribute>`,
  );
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${answer.assertionId}" Version="2.0" IssueInstant="${moment(at)}"><saml:Issuer>${answer.issuer}</saml:Issuer><saml:Subject>${name}<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${moment(notOnOrAfter)}" Recipient="${recipient}"${to}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${moment(notBefore)}" NotOnOrAfter="${moment(notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${answer.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${moment(at)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${told.join("")}</saml:AttributeStatement></saml:Assertion>`;
}

type Place = { element: string; after: string | undefined };

/** Signs a document's root and adds the certificate, as providers do. */
function signed(
  xml: string,
  { element, after }: Place,
  {
    key,
    signatureAlgorithm,
    digestAlgorithm,
  }: Pick<SamlAnswer, "key" | "signatureAlgorithm" | "digestAlgorithm">,
): string {
  const signature = new SignedXml({
    privateKey: key.private_key,
    publicCert: `-----BEGIN CERTIFICATE-----\n${key.certificate.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`,
    signatureAlgorithm: signatureAlgorithm as never,
    canonicalizationAlgorithm: "http://www.w3.org/2001/10/xml-exc-c14n#",
  });
  const root = `/*[local-name(.)='${element}']`;
  signature.addReference({
    xpath: root,
    digestAlgorithm: digestAlgorithm as never,
    transforms: [
      "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
      "http://www.w3.org/2001/10/xml-exc-c14n#",
    ],
  });
  const location = after
    ? { reference: `${root}/*[local-name(.)='${after}']`, action: "after" as const }
    : { reference: root, action: "prepend" as const };
  signature.computeSignature(xml, { location, prefix: "ds" });
  return signature.getSignedXml();
}

const encrypted = (assertion: string, certificate: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`;
    const options = {
      rsa_pub: pem,
      pem,
      encryptionAlgorithm: "http://www.w3.org/2009/xmlenc11#aes256-gcm",
      keyEncryptionAlgorithm: "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
    };
    encrypt(assertion, options as never, (error: Error | null, data: string) =>
      error ? reject(error) : resolve(`<saml:EncryptedAssertion>${data}</saml:EncryptedAssertion>`),
    );
  });
