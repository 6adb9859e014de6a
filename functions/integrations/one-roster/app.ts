import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { oneRosterPath } from "../../../lib/integrations/one-roster/protocol.ts";
import {
  getGradebookResource,
  listClassGradebookResources,
  listGradebookResources,
  listResultsWithinClass,
} from "./gradebook.ts";
import {
  getRosterResource,
  listClassMembersInSchool,
  listNestedRosterResources,
  listRosterResources,
} from "./rostering.ts";
import { grantOneRosterToken } from "./token.ts";

/** OneRoster endpoints. The standard describes them, so the tag keeps them out of the API document. */
export const oneRoster = {
  ...createEndpointGroup(
    "Documentation",
    oneRosterPath,
    [
      grantOneRosterToken,
      listRosterResources,
      getRosterResource,
      listNestedRosterResources,
      listClassMembersInSchool,
      listGradebookResources,
      getGradebookResource,
      listClassGradebookResources,
      listResultsWithinClass,
    ],
    true,
  ),
  refusal: async (answer: Response, thrown?: unknown) =>
    (await import("./replies.ts")).statusInfoResponse(answer, thrown),
};
