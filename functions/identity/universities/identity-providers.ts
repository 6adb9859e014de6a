import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { apiAddress } from "../../../lib/http/public-url.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as providers from "../../../lib/identity/universities/identity-providers.ts";
import { changeOwnKey } from "../../../lib/identity/universities/own-saml-key.ts";
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
    summary: "List the identity providers of a university",
    ...may("identity-provider:manage"),
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
    summary: "Add an identity provider of a university",
    description:
      "By OpenID Connect, beside the platform's: register `…/auth/oidc/{login_name}/callback` there as redirect URI. By SAML " +
      "2.0: give its metadata, and its operator what `…/auth/saml/{login_name}/metadata` answers. It signs in people of the " +
      "university, once a platform_admin has granted that the domains of their addresses. Outside development all its " +
      "addresses are https, and asked over the public internet alone.",
    ...may("identity-provider:manage"),
    params: university,
    body: UniversityProviderCreate,
    ...created(UniversityProvider, "The new provider"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body, http }) =>
    providers.createProvider(deps, actor, params.university_id, body, apiAddress(http, deps.config)),
);

export const updateUniversityProvider = endpoint(
  {
    id: "updateUniversityProvider",
    method: "put",
    path: single,
    summary: "Change an identity provider of a university",
    description:
      "Another issuer is another provider: who was linked is forgotten, the domains are to be granted anew, and the secret " +
      "is to be given again, since it would be sent there. So it is with SAML metadata of another entity, from another " +
      "address, or with no certificate in common. Given as `metadata_url` once more, metadata is read anew.",
    ...may("identity-provider:manage"),
    params,
    body: UniversityProviderUpdate,
    ...ok(UniversityProvider, "The changed provider"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => providers.updateProvider(deps, actor, params, body),
);

export const grantProviderDomains = endpoint(
  {
    id: "grantProviderDomains",
    method: "put",
    path: `${single}/email-domains`,
    summary: "Say whose addresses a university's identity provider may vouch for",
    description:
      "Sets the domains of the university, all of them, for which all its providers vouch. Grant a domain only to the " +
      "university whose it is.",
    ...may("identity-provider:grant-domains"),
    params,
    body: EmailDomains,
    ...ok(UniversityProvider, "The changed provider"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => providers.grantDomains(deps.db, actor, params, body.email_domains),
);

export const changeOwnSamlKey = endpoint(
  {
    id: "changeOwnSamlKey",
    method: "post",
    path: `${single}/own-key`,
    summary: "Change this service's key towards an identity provider by SAML",
    description:
      "In three steps, so that nobody's sign-in fails meanwhile. `ADD` makes a second key, whose certificate is in this " +
      "service's metadata from then on: have the provider read it. `SWITCH` signs with the second one. `REMOVE` takes the " +
      "former away, once the provider encrypts for it no more. What is encrypted for either is read while there are two.",
    ...may("identity-provider:manage"),
    params,
    body: OwnKeyStep,
    ...ok(UniversityProvider, "The provider, with the keys that there are now"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => changeOwnKey(deps, actor, params, body),
);

export const removeUniversityProvider = endpoint(
  {
    id: "removeUniversityProvider",
    method: "delete",
    path: single,
    summary: "Remove an identity provider of a university",
    description: "The accounts of those who signed in with it stay, and need another way to sign in.",
    ...may("identity-provider:manage"),
    params,
    ...noContent("Removed, and who was linked by it forgotten"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => providers.removeProvider(deps.db, actor, params),
);
