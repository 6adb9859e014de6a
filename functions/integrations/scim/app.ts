import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { scimPath } from "../../../lib/integrations/scim/protocol.ts";
import {
  getScimResourceType,
  getScimSchema,
  getScimServiceProviderConfig,
  listScimResourceTypes,
  listScimSchemas,
} from "./discovery.ts";
import {
  createScimGroup,
  deleteScimGroup,
  getScimGroup,
  listScimGroups,
  patchScimGroup,
  replaceScimGroup,
  searchScimGroups,
} from "./groups.ts";
import { searchScim } from "./search.ts";
import {
  createScimUser,
  deleteScimUser,
  getScimUser,
  listScimUsers,
  patchScimUser,
  replaceScimUser,
  searchScimUsers,
} from "./users.ts";

/** SCIM endpoints. SCIM describes itself, so the tag keeps them out of the API document. */
export const scim = {
  ...createEndpointGroup(
    "Documentation",
    scimPath,
    [
      getScimServiceProviderConfig,
      listScimResourceTypes,
      getScimResourceType,
      listScimSchemas,
      getScimSchema,
      searchScim,
      listScimUsers,
      searchScimUsers,
      createScimUser,
      getScimUser,
      replaceScimUser,
      patchScimUser,
      deleteScimUser,
      listScimGroups,
      searchScimGroups,
      createScimGroup,
      getScimGroup,
      replaceScimGroup,
      patchScimGroup,
      deleteScimGroup,
    ],
    true,
  ),
  refusal: async (answer: Response, thrown?: unknown) =>
    (await import("./replies.ts")).scimErrorResponse(answer, thrown),
};
