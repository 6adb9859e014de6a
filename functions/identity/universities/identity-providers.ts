import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicApiUrl } from "../../../lib/http/public-url.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as providers from "../../../lib/identity/universities/identity-providers.ts";
import { advanceSamlKeyRotation } from "../../../lib/identity/universities/own-saml-key.ts";
import {
  EmailDomains,
  OwnKeyStep,
  UniversityProvider,
  UniversityProviderCreate,
  UniversityProviderUpdate,
} from "../../../schema/api/identity/identity-providers.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/identity-providers";
const single = `${all}/{identity_provider_id}`;
const university = pathIds("university_id");
const params = pathIds("university_id", "identity_provider_id");

export const listUniversityProviders = endpoint(
  {
    id: "listUniversityProviders",
    method: "get",
    path: all,
    summary: "List identity providers of a university",
    ...permittedTo("identity-provider:manage"),
    params: university,
    ...ok(listOf(UniversityProvider), "Providers by name, without their secrets"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => providers.listProviders(deps.db, actor, params.university_id),
);

export const createUniversityProvider = endpoint(
  {
    id: "createUniversityProvider",
    method: "post",
    path: all,
    summary: "Add an identity provider",
    description:
      "For OpenID Connect, register `…/auth/oidc/{login_name}/callback` at the provider as redirect URI. " +
      "For SAML 2.0, send the provider's metadata, and give its operator " +
      "`…/auth/saml/{login_name}/metadata`. The provider signs in people of the university once a " +
      "platform_admin has granted their email domains. Outside development, all its addresses must be " +
      "https and on the public internet.",
    ...permittedTo("identity-provider:manage"),
    params: university,
    body: UniversityProviderCreate,
    ...created(UniversityProvider, "The new provider"),
    fails: [400, 403, 404, 429, 503],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body, http }) =>
    providers.createProvider(deps, actor, params.university_id, body, publicApiUrl(http, deps.config)),
);

export const updateUniversityProvider = endpoint(
  {
    id: "updateUniversityProvider",
    method: "put",
    path: single,
    summary: "Update an identity provider",
    description:
      "A new issuer counts as a new provider. This deletes its account links and domain grants, and " +
      "the secret must be sent again. So does SAML metadata of another entity, from another address, " +
      "or without a common certificate. Send `metadata_url` again to reload the metadata.",
    ...permittedTo("identity-provider:manage"),
    params,
    body: UniversityProviderUpdate,
    ...ok(UniversityProvider, "The updated provider"),
    fails: [400, 403, 404, 429, 503],
  },
  ({ deps, actor, params, body }) => providers.updateProvider(deps, actor, params, body),
);

export const grantProviderDomains = endpoint(
  {
    id: "grantProviderDomains",
    method: "put",
    path: `${single}/email-domains`,
    summary: "Grant email domains to identity providers",
    description:
      "Replaces the domains of the university, for which all its providers can vouch. Grant a domain only " +
      "to the university that owns it.",
    ...permittedTo("identity-provider:grant-domains"),
    params,
    body: EmailDomains,
    ...ok(UniversityProvider, "The updated provider"),
    fails: [404],
  },
  ({ deps, actor, params, body }) =>
    providers.replaceGrantedDomains(deps.db, actor, params, body.email_domains),
);

export const changeOwnSamlKey = endpoint(
  {
    id: "changeOwnSamlKey",
    method: "post",
    path: `${single}/own-key`,
    summary: "Rotate the service's SAML key",
    description:
      "Three steps keep sign-ins working. `ADD` creates a second key and adds its certificate to the " +
      "service's metadata: have the provider reload it. `SWITCH` signs with the second key. `REMOVE` " +
      "deletes the first key: use it when the provider no longer encrypts for it. While there are two " +
      "keys, both decrypt.",
    ...permittedTo("identity-provider:manage"),
    params,
    body: OwnKeyStep,
    ...ok(UniversityProvider, "The provider with its current keys"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => advanceSamlKeyRotation(deps, actor, params, body),
);

export const removeUniversityProvider = endpoint(
  {
    id: "removeUniversityProvider",
    method: "delete",
    path: single,
    summary: "Remove an identity provider",
    description: "The accounts of its users stay, but need another way to sign in.",
    ...permittedTo("identity-provider:manage"),
    params,
    ...noContent("Removed, with its account links"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => providers.removeProvider(deps.db, actor, params),
);
