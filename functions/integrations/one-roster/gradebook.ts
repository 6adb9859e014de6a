import { endpoint } from "../../../lib/http/endpoint.ts";
import {
  gradebookCollectionByClassFilter,
  gradebookCollectionForSourcedId,
  nestedGradebookCollection,
  resultsWithinClass,
} from "../../../lib/integrations/one-roster/gradebook.ts";
import { gradebookPath, unknownObjectError } from "../../../lib/integrations/one-roster/protocol.ts";
import { getResource } from "../../../lib/integrations/one-roster/read-resources.ts";
import {
  OneRosterCollectionPath,
  OneRosterInnerPath,
  OneRosterItemPath,
  OneRosterItemQuery,
  OneRosterNestedPath,
  OneRosterQuery,
} from "../../../schema/api/integrations/one-roster.ts";
import { byCoreGradebookScope, byGradebookScope, oneRosterAnswer } from "./contract.ts";
import { listResponse, resourceResponse, serviceOf } from "./replies.ts";

export const listGradebookResources = endpoint(
  {
    id: "listGradebookResources",
    method: "get",
    path: `${gradebookPath}/{collection}`,
    summary: "List categories, line items, results or score scales of a university or class",
    ...byCoreGradebookScope,
    params: OneRosterCollectionPath,
    query: OneRosterQuery,
    ...oneRosterAnswer("A page of the collection"),
    fails: [400, 404],
  },
  async (call) => {
    return listResponse(
      call,
      gradebookCollectionByClassFilter(call.params.collection, call.query.filter, serviceOf(call).university),
    );
  },
);

export const getGradebookResource = endpoint(
  {
    id: "getGradebookResource",
    method: "get",
    path: `${gradebookPath}/{collection}/{sourced_id}`,
    summary: "Read a category, line item, result or score scale",
    ...byCoreGradebookScope,
    params: OneRosterItemPath,
    query: OneRosterItemQuery,
    ...oneRosterAnswer("The resource"),
    fails: [400, 404],
  },
  async (call) => {
    const { collection, sourced_id } = call.params;
    const selection = gradebookCollectionForSourcedId(collection, sourced_id);
    return resourceResponse(
      await getResource(call.deps.db, selection, sourced_id, call.query.fields, serviceOf(call)),
    );
  },
);

export const listClassGradebookResources = endpoint(
  {
    id: "listClassGradebookResources",
    method: "get",
    path: `${gradebookPath}/{collection}/{sourced_id}/{nested}`,
    summary: "List categories, line items, results or score scales of a class or school",
    ...byGradebookScope,
    params: OneRosterNestedPath,
    query: OneRosterQuery,
    ...oneRosterAnswer("A page of the collection"),
    fails: [400, 404],
  },
  async (call) => {
    const { collection, sourced_id, nested } = call.params;
    const { university } = serviceOf(call);
    return listResponse(
      call,
      nestedGradebookCollection(collection, sourced_id, nested, call.query.filter, university),
    );
  },
);

export const listResultsWithinClass = endpoint(
  {
    id: "listResultsWithinClass",
    method: "get",
    path: `${gradebookPath}/{collection}/{sourced_id}/{nested}/{nested_id}/{inner}`,
    summary: "List results of a line item or student of a class",
    ...byGradebookScope,
    params: OneRosterInnerPath,
    query: OneRosterQuery,
    ...oneRosterAnswer("A page of the collection"),
    fails: [400, 404],
  },
  async (call) => {
    const { collection, sourced_id, nested, nested_id, inner } = call.params;
    if (collection !== "classes" || inner !== "results") throw unknownObjectError();
    return listResponse(call, resultsWithinClass(sourced_id, nested, nested_id, serviceOf(call).university));
  },
);
