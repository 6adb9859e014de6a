import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { recordAuditEntry } from "../../../lib/identity/audit/record.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as cloud from "../../../lib/identity/credentials/cloud.ts";
import { resolveCredentialOwner } from "../../../lib/identity/credentials/owner.ts";
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
    summary: "Store LLM provider credentials",
    description:
      "Stores the credentials of the cloud-managed LLM provider for a university or the platform: see " +
      "`university_id`. They are encrypted, replace former ones, take effect everywhere within a minute, " +
      "and are never returned.",
    ...permittedTo("credentials:manage", "platform-credentials:manage"),
    query: CloudCredentialsQuery,
    body: CloudCredentialsCreate,
    ...ok(CloudCredentialsStatus, "The credentials' public part"),
    fails: [400, 404, 503],
  },
  async ({ deps, actor, query, body }) => {
    const owner = await resolveCredentialOwner(deps.db, actor, query.university_id);
    const author = { id: actor.id, now: deps.now() };
    const stored = await cloud.storeCloudCredentials(deps.credentials, owner, body, author);
    await recordAuditEntry(deps.db, { action: "credentials.stored", actor: actor.id, university: owner });
    return stored;
  },
);

export const getCloudCredentialsStatus = endpoint(
  {
    id: "getCloudCredentialsStatus",
    method: "get",
    path: "/cloud-credentials/status",
    summary: "Read LLM provider credentials status",
    description:
      "The tutor uses the university's credentials, else the platform's stored ones, else those of the " +
      "environment, else the platform's own identity.",
    ...permittedTo("credentials:manage", "platform-credentials:manage"),
    query: CloudCredentialsQuery,
    ...ok(CloudCredentialsStatus, "The credentials' public part"),
    fails: [400, 404, 503],
  },
  async ({ deps, actor, query }) => {
    const owner = await resolveCredentialOwner(deps.db, actor, query.university_id);
    return cloud.readCloudCredentialsStatus(deps.credentials, owner, deps.config);
  },
);

export const testCloudCredentials = endpoint(
  {
    id: "testCloudCredentials",
    method: "post",
    path: "/cloud-credentials/test",
    summary: "Test the LLM provider credentials",
    description:
      "Makes a minimal real call with the credentials that the university's tutor uses. If the call " +
      "fails, returns 200 with `success` false.",
    ...permittedTo("credentials:manage", "platform-credentials:manage"),
    query: CloudCredentialsQuery,
    ...ok(CloudConnectionTest, "The result of the call"),
    fails: [400, 404],
  },
  async ({ deps, actor, query }) => {
    const owner = await resolveCredentialOwner(deps.db, actor, query.university_id);
    return cloud.testCloudConnection(deps.credentials, owner, deps.config);
  },
);

export const deleteCloudCredentials = endpoint(
  {
    id: "deleteCloudCredentials",
    method: "delete",
    path: "/cloud-credentials",
    summary: "Delete LLM provider credentials",
    description: "The next available credentials are used from then on, as the status shows.",
    ...permittedTo("credentials:manage", "platform-credentials:manage"),
    query: CloudCredentialsQuery,
    ...noContent("Deleted"),
    fails: [400, 404, 503],
  },
  async ({ deps, actor, query }) => {
    const owner = await resolveCredentialOwner(deps.db, actor, query.university_id);
    await cloud.removeCloudCredentials(deps.credentials, owner);
    await recordAuditEntry(deps.db, { action: "credentials.removed", actor: actor.id, university: owner });
  },
);
