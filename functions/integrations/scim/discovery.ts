import { endpoint } from "../../../lib/http/endpoint.ts";
import {
  resourceTypes,
  scimSchemas,
  serviceProviderConfig,
} from "../../../lib/integrations/scim/discovery.ts";
import { listResponse, ScimError } from "../../../lib/integrations/scim/protocol.ts";
import { ScimPath } from "../../../schema/api/integrations/scim.ts";
import { bySystemApiKey, scimBaseUrl, scimResponseContract } from "./contract.ts";
import { logAndBuildScimResponse } from "./replies.ts";

export const getScimServiceProviderConfig = endpoint(
  {
    id: "getScimServiceProviderConfig",
    method: "get",
    path: "/ServiceProviderConfig",
    summary: "Read the SCIM service provider configuration",
    ...bySystemApiKey,
    ...scimResponseContract(200, "According to RFC 7643"),
  },
  ({ deps, http }) => logAndBuildScimResponse(serviceProviderConfig(scimBaseUrl(http, deps.config))),
);

export const listScimResourceTypes = endpoint(
  {
    id: "listScimResourceTypes",
    method: "get",
    path: "/ResourceTypes",
    summary: "List SCIM resource types",
    ...bySystemApiKey,
    ...scimResponseContract(200, "According to RFC 7643"),
  },
  ({ deps, http }) => logAndBuildScimResponse(whole(resourceTypes(scimBaseUrl(http, deps.config)))),
);

export const getScimResourceType = endpoint(
  {
    id: "getScimResourceType",
    method: "get",
    path: "/ResourceTypes/{id}",
    summary: "Read a SCIM resource type",
    ...bySystemApiKey,
    params: ScimPath,
    ...scimResponseContract(200, "According to RFC 7643"),
  },
  ({ deps, http, params }) =>
    logAndBuildScimResponse(oneOf(resourceTypes(scimBaseUrl(http, deps.config)), params.id)),
);

export const listScimSchemas = endpoint(
  {
    id: "listScimSchemas",
    method: "get",
    path: "/Schemas",
    summary: "List SCIM schemas",
    ...bySystemApiKey,
    ...scimResponseContract(200, "According to RFC 7643"),
  },
  ({ deps, http }) => logAndBuildScimResponse(whole(scimSchemas(scimBaseUrl(http, deps.config)))),
);

export const getScimSchema = endpoint(
  {
    id: "getScimSchema",
    method: "get",
    path: "/Schemas/{id}",
    summary: "Read a SCIM schema",
    ...bySystemApiKey,
    params: ScimPath,
    ...scimResponseContract(200, "According to RFC 7643"),
  },
  ({ deps, http, params }) =>
    logAndBuildScimResponse(oneOf(scimSchemas(scimBaseUrl(http, deps.config)), params.id)),
);

const whole = (items: readonly object[]) => listResponse({ total: items.length, startIndex: 1, items });

function oneOf(items: readonly object[], id: string): object {
  const found = items.find((one) => "id" in one && one.id === id);
  if (!found) throw new ScimError(404, `${id.slice(0, 128)} not found`);
  return found;
}
