import { may } from "../../lib/auth/guards.ts";
import { created, endpoint, noContent, ok } from "../../lib/http/endpoint.ts";
import * as providers from "../../lib/universities/identity-providers.ts";
import { listOf, pathIds } from "../../schema/api/fields.ts";
import {
  EmailDomains,
  UniversityProvider,
  UniversityProviderCreate,
  UniversityProviderUpdate,
} from "../../schema/api/identity-providers.ts";

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
      "An OpenID Connect provider, beside the platform's. Register `…/auth/oidc/{login_name}/callback` there as redirect " +
      "URI. It signs in people of the university, once a platform_admin has granted that the domains of their addresses. " +
      "Outside development the issuer is https, and is asked over the public internet alone.",
    ...may("identity-provider:manage"),
    params: university,
    body: UniversityProviderCreate,
    ...created(UniversityProvider, "The new provider"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    providers.createProvider(deps.db, deps.config, actor, params.university_id, body),
);

export const updateUniversityProvider = endpoint(
  {
    id: "updateUniversityProvider",
    method: "put",
    path: single,
    summary: "Change an identity provider of a university",
    description:
      "Another issuer is another provider: who was linked is forgotten, the domains are to be granted anew, and the secret " +
      "is to be given again, since it would be sent there.",
    ...may("identity-provider:manage"),
    params,
    body: UniversityProviderUpdate,
    ...ok(UniversityProvider, "The changed provider"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) => providers.updateProvider(deps.db, deps.config, actor, params, body),
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
    fails: [403, 404],
  },
  ({ deps, actor, params }) => providers.removeProvider(deps.db, actor, params),
);
