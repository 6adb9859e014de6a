import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import * as apiKeys from "../../../lib/identity/api-keys/api-keys.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List the API keys of a university",
    ...may("api-key:manage"),
    params: university,
    query: ApiKeyQuery,
    ...ok(listOf(ApiKey), "The keys, newest first, those that are worth nothing any more among them"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => apiKeys.listApiKeys(deps.db, actor, params.university_id, query),
);

export const createApiKey = endpoint(
  {
    id: "createApiKey",
    method: "post",
    path: all,
    summary: "Make an API key for a machine of a university",
    description:
      "The key is answered this once. It does, in its maker's name and in that university alone, what each of its scopes " +
      "is named at: it gives no role above instructor, and reads no conversations and no notes. It is worth nothing once it expires, is revoked, or its maker no longer administers the university.",
    ...may("api-key:manage"),
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
    summary: "Have an API key act in one's own name",
    description: "So that it goes on when whoever made it leaves. The key itself stays as it is.",
    ...may("api-key:manage"),
    params: oneKey,
    ...ok(ApiKey, "The key, now in the caller's name"),
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
    description: "At once and for good. It stays in the list.",
    ...may("api-key:manage"),
    params: oneKey,
    ...noContent("Revoked"),
    fails: [404],
  },
  ({ deps, actor, params }) => apiKeys.revokeApiKey(deps.db, actor, params),
);
