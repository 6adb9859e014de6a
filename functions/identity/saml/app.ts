import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { beginSamlLogin, continueSamlDiscovery, finishSamlLogin, getSamlMetadata } from "./saml.ts";

/** A separate function, since it bundles the SAML library, which no other sign-in needs. */
export const saml = createEndpointGroup("Authentication", "/auth/saml", [
  continueSamlDiscovery,
  getSamlMetadata,
  beginSamlLogin,
  finishSamlLogin,
]);
