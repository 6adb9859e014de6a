import { generateServiceProviderMetadata, SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import { escapeHtml } from "../../platform/text/escape-html.ts";
import type { SamlProvider } from "./provider.ts";

/* Imported on demand: few requests need it. */

const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

/** The sign-in URL with a signed request of that id, to be answered at `acs`. */
export async function signedLoginRequestUrl(
  provider: SamlProvider,
  { acs, request_id, relay_state }: { acs: string; request_id: string; relay_state: string },
): Promise<string> {
  const saml = new SAML({
    issuer: provider.audience,
    callbackUrl: acs,
    entryPoint: provider.sso_url,
    idpCert: provider.certificates,
    privateKey: provider.private_key,
    signatureAlgorithm: "sha256",
    // lib/identity/saml/identity.ts decides which identifier formats are accepted.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    generateUniqueId: () => request_id,
    // This process stores no request state.
    validateInResponseTo: ValidateInResponseTo.never,
  });
  return saml.getAuthorizeUrlAsync(relay_state, undefined, {});
}

/** Both certificates for signing during a rotation, and only the active one for encryption. */
export function serviceProviderMetadataXml(
  provider: SamlProvider,
  { acs, discovered }: { acs: string; discovered: string },
): string {
  const xml = generateServiceProviderMetadata({
    issuer: provider.audience,
    callbackUrl: acs,
    privateKey: provider.private_key,
    publicCerts: [provider.certificate, ...(provider.second ? [provider.second.certificate] : [])],
    decryptionPvk: provider.private_key,
    decryptionCert: provider.certificate,
    identifierFormat: persistent,
    wantAssertionsSigned: provider.signed !== "response",
    // A constant id keeps the document stable.
    generateUniqueId: () => `_${provider.login_name.replaceAll(/[^\w.-]/g, "")}`,
  });
  // The library has no option for extensions, which must come first.
  const at = xml.indexOf(">", xml.indexOf("<SPSSODescriptor")) + 1;
  return `${xml.slice(0, at)}${discoveryResponse(discovered)}${xml.slice(at)}`;
}

const discoveryProtocol = "urn:oasis:names:tc:SAML:profiles:SSO:idp-discovery-protocol";

const discoveryResponse = (location: string): string =>
  `<Extensions><idpdisc:DiscoveryResponse xmlns:idpdisc="${discoveryProtocol}" Binding="${discoveryProtocol}" Location="${escapeHtml(location)}" index="1"/></Extensions>`;
