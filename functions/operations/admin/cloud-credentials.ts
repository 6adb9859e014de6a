import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { recordAct } from "../../../lib/identity/audit/record.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as cloud from "../../../lib/identity/credentials/cloud.ts";
import { ownerOf } from "../../../lib/identity/credentials/owner.ts";
import {
  CloudConnectionTest,
  CloudCredentialsCreate,
  CloudCredentialsQuery,
  CloudCredentialsStatus,
} from "../../../schema/api/identity/credentials.ts";

export const storeCloudCredentials = endpoint(
  {
    id: "storeCloudCredentials",
    method: "post",
    path: "/cloud-credentials",
    summary: "Store the keys of the cloud-managed LLM provider",
    description:
      "A university's, or the platform's: see `university_id`. They are kept encrypted, replace those before, and are in use within a minute everywhere. Nothing answers them.",
    ...may("credentials:manage", "platform-credentials:manage"),
    query: CloudCredentialsQuery,
    body: CloudCredentialsCreate,
    ...ok(CloudCredentialsStatus, "What may be shown of them"),
    fails: [400, 404, 503],
  },
  async ({ deps, actor, query, body }) => {
    const owner = await ownerOf(deps.db, actor, query.university_id);
    const author = { id: actor.id, now: deps.now() };
    const stored = await cloud.storeCloudCredentials(deps.credentials, owner, body, author);
    await recordAct(deps.db, { action: "credentials.stored", actor: actor.id, university: owner });
    return stored;
  },
);

export const getCloudCredentialsStatus = endpoint(
  {
    id: "getCloudCredentialsStatus",
    method: "get",
    path: "/cloud-credentials/status",
    summary: "Read which keys the cloud-managed LLM provider is called with",
    description:
      "An answer of a university's tutor is made with the keys that it stored, else those that the platform stored, else those of the environment, else the platform's own.",
    ...may("credentials:manage", "platform-credentials:manage"),
    query: CloudCredentialsQuery,
    ...ok(CloudCredentialsStatus, "What may be shown of them"),
    fails: [400, 404, 503],
  },
  async ({ deps, actor, query }) => {
    const owner = await ownerOf(deps.db, actor, query.university_id);
    return cloud.cloudCredentialsStatus(deps.credentials, owner, deps.config);
  },
);

export const testCloudCredentials = endpoint(
  {
    id: "testCloudCredentials",
    method: "post",
    path: "/cloud-credentials/test",
    summary: "Call the cloud-managed LLM provider with the keys in use",
    description:
      "A real call, as short as can be, with the keys that an answer of that university's tutor would be made with. A failed one is a 200 with `success` false.",
    ...may("credentials:manage", "platform-credentials:manage"),
    query: CloudCredentialsQuery,
    ...ok(CloudConnectionTest, "How the call went"),
    fails: [400, 404],
  },
  async ({ deps, actor, query }) => {
    const owner = await ownerOf(deps.db, actor, query.university_id);
    return cloud.testCloudConnection(deps.credentials, owner, deps.config);
  },
);

export const deleteCloudCredentials = endpoint(
  {
    id: "deleteCloudCredentials",
    method: "delete",
    path: "/cloud-credentials",
    summary: "Remove the stored keys of the cloud-managed LLM provider",
    description: "From then on the next that there are will be used, as the status says.",
    ...may("credentials:manage", "platform-credentials:manage"),
    query: CloudCredentialsQuery,
    ...noContent("Removed"),
    fails: [400, 404, 503],
  },
  async ({ deps, actor, query }) => {
    const owner = await ownerOf(deps.db, actor, query.university_id);
    await cloud.removeCloudCredentials(deps.credentials, owner);
    await recordAct(deps.db, { action: "credentials.removed", actor: actor.id, university: owner });
  },
);
