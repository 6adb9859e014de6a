import { generateServiceProviderMetadata, SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import { escapeHtml } from "../text/escape-html.ts";
import type { SamlProvider } from "./provider.ts";

/*
 * What this service says by SAML: its requests to sign someone in, and its metadata. It is imported only when it is asked
 * for, since hardly any request is about it.
 */

const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

/** The address at the provider to sign in at, with a signed request of that id, which the response goes to `acs` for. */
export async function requestAddress(
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
    // Whatever identifier it has: which one it takes is said by lib/saml/identity.ts.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    generateUniqueId: () => request_id,
    // Nothing of a request is kept by this process.
    validateInResponseTo: ValidateInResponseTo.never,
  });
  return saml.getAuthorizeUrlAsync(relay_state, undefined, {});
}

/**
 * This service's metadata towards a provider, which is to be given to its operator: with the certificates of both its keys
 * while there are two, and that of the one in use alone to encrypt for.
 */
export function ownMetadata(
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
    // Its own id says nothing, and would make each answer another.
    generateUniqueId: () => `_${provider.login_name.replaceAll(/[^\w.-]/g, "")}`,
  });
  // The package knows no extensions, which stand first.
  const at = xml.indexOf(">", xml.indexOf("<SPSSODescriptor")) + 1;
  return `${xml.slice(0, at)}${discoveryResponse(discovered)}${xml.slice(at)}`;
}

const discoveryProtocol = "urn:oasis:names:tc:SAML:profiles:SSO:idp-discovery-protocol";

/** Where a discovery service may lead back to. */
const discoveryResponse = (location: string): string =>
  `<Extensions><idpdisc:DiscoveryResponse xmlns:idpdisc="${discoveryProtocol}" Binding="${discoveryProtocol}" Location="${escapeHtml(location)}" index="1"/></Extensions>`;
