import { may } from "../../lib/auth/guards.ts";
import * as cloud from "../../lib/credentials/cloud.ts";
import { endpoint, noContent, ok } from "../../lib/http/endpoint.ts";
import {
  CloudConnectionTest,
  CloudCredentialsCreate,
  CloudCredentialsStatus,
} from "../../schema/api/credentials.ts";

export const storeCloudCredentials = endpoint(
  {
    id: "storeCloudCredentials",
    method: "post",
    path: "/cloud-credentials",
    summary: "Store the keys of the cloud-managed LLM provider",
    description:
      "They are kept encrypted, replace those before, and are in use within a minute everywhere. Nothing answers them.",
    ...may("credentials:manage"),
    body: CloudCredentialsCreate,
    ...ok(CloudCredentialsStatus, "What may be shown of them"),
    fails: [503],
  },
  ({ deps, actor, body }) =>
    cloud.storeCloudCredentials(deps.credentials, body, { id: actor.id, now: deps.now() }),
);

export const getCloudCredentialsStatus = endpoint(
  {
    id: "getCloudCredentialsStatus",
    method: "get",
    path: "/cloud-credentials/status",
    summary: "Read which keys the cloud-managed LLM provider is called with",
    description: "Stored ones come before those of the environment, and both before the platform's own.",
    ...may("credentials:manage"),
    ...ok(CloudCredentialsStatus, "What may be shown of them"),
    fails: [503],
  },
  ({ deps }) => cloud.cloudCredentialsStatus(deps.credentials, deps.config),
);

export const testCloudCredentials = endpoint(
  {
    id: "testCloudCredentials",
    method: "post",
    path: "/cloud-credentials/test",
    summary: "Call the cloud-managed LLM provider with the keys in use",
    description: "A real call, as short as can be. A failed one is a 200 with `success` false.",
    ...may("credentials:manage"),
    ...ok(CloudConnectionTest, "How the call went"),
  },
  ({ deps }) => cloud.testCloudConnection(deps.credentials, deps.config),
);

export const deleteCloudCredentials = endpoint(
  {
    id: "deleteCloudCredentials",
    method: "delete",
    path: "/cloud-credentials",
    summary: "Remove the stored keys of the cloud-managed LLM provider",
    description: "From then on those of the environment, or the platform's own, are used.",
    ...may("credentials:manage"),
    ...noContent("Removed"),
    fails: [404, 503],
  },
  ({ deps }) => cloud.removeCloudCredentials(deps.credentials),
);
