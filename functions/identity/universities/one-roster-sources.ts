import { accepted, created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as sources from "../../../lib/integrations/one-roster/sources.ts";
import {
  OneRosterSource,
  OneRosterSourceCreate,
  OneRosterSourceQuery,
  OneRosterSyncCreate,
} from "../../../schema/api/integrations/one-roster-sources.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/one-roster-sources";
const university = pathIds("university_id");
const params = pathIds("university_id", "one_roster_source_id");

export const listOneRosterSources = endpoint(
  {
    id: "listOneRosterSources",
    method: "get",
    path: all,
    summary: "List OneRoster sources of a university",
    ...permittedTo("import:manage"),
    params: university,
    query: OneRosterSourceQuery,
    ...ok(listOf(OneRosterSource), "Sources, oldest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    sources.listOneRosterSources(deps.db, actor, params.university_id, query),
);

export const createOneRosterSource = endpoint(
  {
    id: "createOneRosterSource",
    method: "post",
    path: all,
    summary: "Add a OneRoster source",
    description:
      "Reads people, classes and enrollments of the service, everything the first time and changes each night. Starts " +
      "an import with the rules of OneRoster files, in the caller's name. A sync that would remove more than a third of " +
      "the people or enrollments awaits confirmation.",
    ...permittedTo("import:manage"),
    params: university,
    body: OneRosterSourceCreate,
    ...created(OneRosterSource, "The source"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    sources.createOneRosterSource(deps.db, deps.config, actor, params.university_id, body, deps.now()),
);

export const removeOneRosterSource = endpoint(
  {
    id: "removeOneRosterSource",
    method: "delete",
    path: `${all}/{one_roster_source_id}`,
    summary: "Remove a OneRoster source",
    ...permittedTo("import:manage"),
    params,
    ...noContent("Removed; imported people and classes stay"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => sources.removeOneRosterSource(deps.db, actor, params),
);

export const requestOneRosterSync = endpoint(
  {
    id: "requestOneRosterSync",
    method: "post",
    path: `${all}/{one_roster_source_id}/sync`,
    summary: "Read a OneRoster source now",
    ...permittedTo("import:manage"),
    params,
    body: OneRosterSyncCreate,
    ...accepted(OneRosterSource, "The source; its sync begins within a minute"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => sources.requestOneRosterSync(deps.db, actor, params, body, deps.now()),
);
