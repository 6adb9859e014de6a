import { createImportFileFinder } from "../../../lib/files/find-import-file.ts";
import { csvFileResponse } from "../../../lib/http/csv-file.ts";
import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as imports from "../../../lib/integrations/imports/imports.ts";
import {
  Import,
  ImportCreate,
  ImportQuery,
  ImportResult,
  ImportResultQuery,
} from "../../../schema/api/integrations/imports.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/imports";
const university = pathIds("university_id");
const params = pathIds("university_id", "import_id");

/** How long the request itself works on an import, well below a gateway's timeout. */
const workMilliseconds = 12_000;

export const startImport = endpoint(
  {
    id: "startImport",
    method: "post",
    path: all,
    summary: "Import people, roles and enrollments",
    description:
      "Takes CSV or the CSV files of OneRoster 1.2, whose classes become offerings. People are " +
      "matched by the source's id, then by email address. Importing the same files again changes " +
      "nothing. Each row is applied as a whole or rejected with a reason. The request processes rows " +
      "for some seconds. A background job processes the rest, and `GET …/imports/{import_id}` " +
      "reports the progress. An import grants at most what its creator may grant, and no " +
      "administrator roles from OneRoster. It never changes an email address. It changes a name only " +
      "if the person has no other university and the account was never used. A person with status " +
      "`tobedeleted` loses their roles and seats in the university; the account stays.",
    ...permittedTo("import:manage"),
    scope: "people:write",
    params: university,
    body: ImportCreate,
    ...created(Import, "The import and its progress"),
    fails: [400, 403, 404, 429, 503],
  },
  ({ deps, actor, params, body }) =>
    imports.startImport(deps.db, actor, params.university_id, body, {
      now: deps.now(),
      secrets: deps.config,
      signal: AbortSignal.timeout(workMilliseconds),
      find: createImportFileFinder(deps, actor),
    }),
);

export const listImports = endpoint(
  {
    id: "listImports",
    method: "get",
    path: all,
    summary: "List imports of a university",
    description: "Imports are deleted 30 days after they end.",
    ...permittedTo("import:manage"),
    scope: "people:read",
    params: university,
    query: ImportQuery,
    ...ok(listOf(Import), "Imports, newest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => imports.listImports(deps.db, actor, params.university_id, query),
);

export const getImport = endpoint(
  {
    id: "getImport",
    method: "get",
    path: `${all}/{import_id}`,
    summary: "Read an import",
    ...permittedTo("import:manage"),
    scope: "people:read",
    params,
    ...ok(Import, "The import"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => imports.getImport(deps.db, actor, params),
);

export const listImportResults = endpoint(
  {
    id: "listImportResults",
    method: "get",
    path: `${all}/{import_id}/results`,
    summary: "List the results of an import",
    description: "Available as CSV, in which formulas are escaped as text.",
    ...permittedTo("import:manage"),
    scope: "people:read",
    params,
    query: ImportResultQuery,
    ...ok(listOf(ImportResult), "One result for each row, in processing order", {
      "text/csv":
        "file,line,sourced_id,email,outcome,reason\r\npeople.csv,2,s-1,ada@example.edu,CREATED,\r\n",
    }),
    fails: [403, 404],
  },
  async ({ deps, actor, params, query, http }) => {
    const results = await imports.listImportResults(deps.db, actor, params, query);
    return query.format === "csv" ? csvFileResponse(http, imports.resultsAsCsv(results)) : results;
  },
);
