import { importFiles } from "../../../lib/files/import-files.ts";
import { csvFile } from "../../../lib/http/csv-file.ts";
import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
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
      "From CSV, or from the CSV files of OneRoster 1.2, which also make offerings of classes. People are found by the " +
      "source's id, else by e-mail address, so that the same files change nothing the second time. A row is done as a " +
      "whole or refused with a reason; the others go on. The request works on it for some seconds; what is left goes on " +
      "after it, and `GET …/imports/{import_id}` says how far it is. An import grants in the name of who starts it and " +
      "never more than they may, makes no administrators from OneRoster, changes nobody's address, and a name only of " +
      "people who have nothing elsewhere and whose account nobody has taken into use. With status `tobedeleted` a person loses their roles and places here; " +
      "the account stays.",
    ...may("import:manage"),
    scope: "people:write",
    params: university,
    body: ImportCreate,
    ...created(Import, "The import, and how far it is"),
    fails: [400, 403, 404, 429, 503],
  },
  ({ deps, actor, params, body }) =>
    imports.startImport(deps.db, actor, params.university_id, body, {
      now: deps.now(),
      secrets: deps.config,
      signal: AbortSignal.timeout(workMilliseconds),
      find: importFiles(deps, actor),
    }),
);

export const listImports = endpoint(
  {
    id: "listImports",
    method: "get",
    path: all,
    summary: "List the imports into a university",
    description: "They are kept for 30 days after they have ended.",
    ...may("import:manage"),
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
    summary: "Read how far an import is",
    ...may("import:manage"),
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
    summary: "List what became of the rows of an import",
    description: "Also as CSV, in which what a spreadsheet would take for a formula is text.",
    ...may("import:manage"),
    scope: "people:read",
    params,
    query: ImportResultQuery,
    ...ok(listOf(ImportResult), "A result for each row, in the order in which they are worked", {
      "text/csv":
        "file,line,sourced_id,email,outcome,reason\r\npeople.csv,2,s-1,ada@example.edu,CREATED,\r\n",
    }),
    fails: [403, 404],
  },
  async ({ deps, actor, params, query, http }) => {
    const results = await imports.listImportResults(deps.db, actor, params, query);
    return query.format === "csv" ? csvFile(http, imports.resultsAsCsv(results)) : results;
  },
);
