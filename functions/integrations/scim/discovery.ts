import { endpoint } from "../../../lib/http/endpoint.ts";
import { resourceTypes, schemas, serviceProviderConfig } from "../../../lib/integrations/scim/discovery.ts";
import { listResponse, ScimError } from "../../../lib/integrations/scim/protocol.ts";
import { ScimPath } from "../../../schema/api/integrations/scim.ts";
import { answered, baseOf, bySystem } from "./contract.ts";
import { scimAnswer } from "./replies.ts";

export const getScimServiceProviderConfig = endpoint(
  {
    id: "getScimServiceProviderConfig",
    method: "get",
    path: "/ServiceProviderConfig",
    summary: "What of SCIM the service takes",
    ...bySystem,
    ...answered(200, "As RFC 7643 has it"),
  },
  ({ deps, http }) => scimAnswer(serviceProviderConfig(baseOf(http, deps.config))),
);

export const listScimResourceTypes = endpoint(
  {
    id: "listScimResourceTypes",
    method: "get",
    path: "/ResourceTypes",
    summary: "The kinds of resources of SCIM",
    ...bySystem,
    ...answered(200, "As RFC 7643 has it"),
  },
  ({ deps, http }) => scimAnswer(whole(resourceTypes(baseOf(http, deps.config)))),
);

export const getScimResourceType = endpoint(
  {
    id: "getScimResourceType",
    method: "get",
    path: "/ResourceTypes/{id}",
    summary: "One kind of resources of SCIM",
    ...bySystem,
    params: ScimPath,
    ...answered(200, "As RFC 7643 has it"),
  },
  ({ deps, http, params }) => scimAnswer(oneOf(resourceTypes(baseOf(http, deps.config)), params.id)),
);

export const listScimSchemas = endpoint(
  {
    id: "listScimSchemas",
    method: "get",
    path: "/Schemas",
    summary: "The attributes of SCIM's resources",
    ...bySystem,
    ...answered(200, "As RFC 7643 has it"),
  },
  ({ deps, http }) => scimAnswer(whole(schemas(baseOf(http, deps.config)))),
);

export const getScimSchema = endpoint(
  {
    id: "getScimSchema",
    method: "get",
    path: "/Schemas/{id}",
    summary: "The attributes of one schema of SCIM",
    ...bySystem,
    params: ScimPath,
    ...answered(200, "As RFC 7643 has it"),
  },
  ({ deps, http, params }) => scimAnswer(oneOf(schemas(baseOf(http, deps.config)), params.id)),
);

const whole = (items: readonly object[]) => listResponse({ total: items.length, startIndex: 1, items });

function oneOf(items: readonly object[], id: string): object {
  const found = items.find((one) => "id" in one && one.id === id);
  if (!found) throw new ScimError(404, `${id.slice(0, 128)} not found`);
  return found;
}
