import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import * as apiKeys from "../../../lib/identity/api-keys/api-keys.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeyQuery } from "../../../schema/api/identity/api-keys.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/api-keys";
const university = pathIds("university_id");
const oneKey = pathIds("university_id", "api_key_id");

export const listApiKeys = endpoint(
  {
    id: "listApiKeys",
    method: "get",
    path: all,
    summary: "List API keys of a university",
    ...permittedTo("api-key:manage"),
    params: university,
    query: ApiKeyQuery,
    ...ok(listOf(ApiKey), "Keys, newest first, including keys that are no longer valid"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => apiKeys.listApiKeys(deps.db, actor, params.university_id, query),
);

export const createApiKey = endpoint(
  {
    id: "createApiKey",
    method: "post",
    path: all,
    summary: "Create an API key",
    description:
      "The key is returned only once. The key acts in its creator's name, in this university, within " +
      "its scopes. It grants no role above instructor, and cannot read conversations or notes. It " +
      "becomes invalid when it expires, is revoked, or its creator no longer administers the " +
      "university.",
    ...permittedTo("api-key:manage"),
    params: university,
    body: ApiKeyCreate,
    ...created(ApiKeyCreated, "The key"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) =>
    apiKeys.createApiKey(deps.db, actor, params.university_id, body, deps.now()),
);

export const adoptApiKey = endpoint(
  {
    id: "adoptApiKey",
    method: "post",
    path: `${all}/{api_key_id}/adopt`,
    summary: "Adopt an API key",
    description:
      "Makes the key act in the caller's name, for example when its creator leaves. The key's value " +
      "does not change.",
    ...permittedTo("api-key:manage"),
    params: oneKey,
    ...ok(ApiKey, "The key, which now acts in the caller's name"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => apiKeys.adoptApiKey(deps.db, actor, params),
);

export const revokeApiKey = endpoint(
  {
    id: "revokeApiKey",
    method: "delete",
    path: `${all}/{api_key_id}`,
    summary: "Revoke an API key",
    description: "Takes effect immediately and cannot be undone. The key stays in the list.",
    ...permittedTo("api-key:manage"),
    params: oneKey,
    ...noContent("Revoked"),
    fails: [404],
  },
  ({ deps, actor, params }) => apiKeys.revokeApiKey(deps.db, actor, params),
);
