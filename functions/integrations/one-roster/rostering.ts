import { endpoint } from "../../../lib/http/endpoint.ts";
import { rosteringPath, unknownObjectError } from "../../../lib/integrations/one-roster/protocol.ts";
import { getResource } from "../../../lib/integrations/one-roster/read-resources.ts";
import {
  nestedCollectionOfSchoolClass,
  nestedRosteringCollection,
  rosteringCollection,
} from "../../../lib/integrations/one-roster/rostering.ts";
import {
  OneRosterCollectionPath,
  OneRosterInnerPath,
  OneRosterItemPath,
  OneRosterItemQuery,
  OneRosterNestedPath,
  OneRosterQuery,
} from "../../../schema/api/integrations/one-roster.ts";
import { byCoreRosterScope, byRosterScope, oneRosterAnswer } from "./contract.ts";
import { listResponse, resourceResponse, serviceOf } from "./replies.ts";

export const listRosterResources = endpoint(
  {
    id: "listRosterResources",
    method: "get",
    path: `${rosteringPath}/{collection}`,
    summary: "List resources of the rostering service",
    ...byCoreRosterScope,
    params: OneRosterCollectionPath,
    query: OneRosterQuery,
    ...oneRosterAnswer("A page of the collection"),
    fails: [400, 404],
  },
  (call) => listResponse(call, rosteringCollection(call.params.collection, serviceOf(call).university)),
);

export const getRosterResource = endpoint(
  {
    id: "getRosterResource",
    method: "get",
    path: `${rosteringPath}/{collection}/{sourced_id}`,
    summary: "Read a resource of the rostering service",
    ...byCoreRosterScope,
    params: OneRosterItemPath,
    query: OneRosterItemQuery,
    ...oneRosterAnswer("The resource"),
    fails: [400, 404],
  },
  async (call) => {
    const { collection, sourced_id } = call.params;
    const service = serviceOf(call);
    const selection = rosteringCollection(collection, service.university);
    return resourceResponse(
      await getResource(call.deps.db, selection, sourced_id, call.query.fields, service),
    );
  },
);

export const listNestedRosterResources = endpoint(
  {
    id: "listNestedRosterResources",
    method: "get",
    path: `${rosteringPath}/{collection}/{sourced_id}/{nested}`,
    summary: "List rostering resources below another",
    ...byRosterScope,
    params: OneRosterNestedPath,
    query: OneRosterQuery,
    ...oneRosterAnswer("A page of the collection"),
    fails: [400, 404],
  },
  async (call) => {
    const { collection, sourced_id, nested } = call.params;
    return listResponse(
      call,
      nestedRosteringCollection(collection, sourced_id, nested, serviceOf(call).university),
    );
  },
);

export const listClassMembersInSchool = endpoint(
  {
    id: "listClassMembersInSchool",
    method: "get",
    path: `${rosteringPath}/{collection}/{sourced_id}/{nested}/{nested_id}/{inner}`,
    summary: "List enrollments, students or teachers of a class in a school",
    ...byRosterScope,
    params: OneRosterInnerPath,
    query: OneRosterQuery,
    ...oneRosterAnswer("A page of the collection"),
    fails: [400, 404],
  },
  async (call) => {
    const { collection, sourced_id, nested, nested_id, inner } = call.params;
    if (collection !== "schools" || nested !== "classes") throw unknownObjectError();
    return listResponse(
      call,
      nestedCollectionOfSchoolClass(sourced_id, nested_id, inner, serviceOf(call).university),
    );
  },
);
