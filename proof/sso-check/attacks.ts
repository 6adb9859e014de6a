/** Manipulations of a response in transit, by name, on its XML. */
export const samlAttacks: Record<string, (xml: string) => string> = {
  "another subject under the same signature": (xml) => xml.replace(/(<saml:NameID[^>]*>)[^<]*/, "$1victim"),
  "no signature at all": (xml) => xml.replaceAll(/<dsig:Signature[\s\S]*?<\/dsig:Signature>/g, ""),
  "a forged assertion before the signed one": (xml) =>
    xml.replace(/<saml:Assertion /, `${forged}<saml:Assertion `),
  "a comment in the subject": (xml) => xml.replace(/(<saml:NameID[^>]*>..)/, "$1<!-- -->"),
  "a document type": (xml) => `<!DOCTYPE r [<!ENTITY e "victim">]>${xml.replace(/^<\?xml[^>]*\?>/, "")}`,
};

const forged =
  '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="ID_forged" Version="2.0"><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">victim</saml:NameID></saml:Subject></saml:Assertion>';
