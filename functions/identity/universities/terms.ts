import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { anyone, permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as terms from "../../../lib/identity/universities/terms.ts";
import { Term, TermCreate, TermQuery, TermUpdate } from "../../../schema/api/courses/terms.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/terms";
const single = "/{university_id}/terms/{term_id}";
const university = pathIds("university_id");
const params = pathIds("university_id", "term_id");

export const listUniversityTerms = endpoint(
  {
    id: "listUniversityTerms",
    method: "get",
    path: all,
    changesSeldom: true,
    summary: "List terms of a university",
    ...anyone,
    params: university,
    query: TermQuery,
    ...ok(listOf(Term), "Terms, by first day by default"),
    fails: [404],
  },
  ({ deps, params, query }) => terms.listTerms(deps.db, params.university_id, query),
);

export const createUniversityTerm = endpoint(
  {
    id: "createUniversityTerm",
    method: "post",
    path: all,
    summary: "Create a term",
    ...permittedTo("term:write"),
    params: university,
    body: TermCreate,
    ...created(Term, "The new term"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body }) => terms.createTerm(deps.db, actor, params.university_id, body),
);

export const getUniversityTerm = endpoint(
  {
    id: "getUniversityTerm",
    method: "get",
    path: single,
    changesSeldom: true,
    summary: "Read a term",
    ...anyone,
    params,
    ...ok(Term, "The term"),
    fails: [404],
  },
  ({ deps, params }) => terms.getTerm(deps.db, params),
);

export const updateUniversityTerm = endpoint(
  {
    id: "updateUniversityTerm",
    method: "put",
    path: single,
    summary: "Update a term",
    description: "Offerings that carry the term's name are renamed with it.",
    ...permittedTo("term:write"),
    params,
    body: TermUpdate,
    ...ok(Term, "The updated term"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body }) => terms.updateTerm(deps.db, actor, params, body),
);

export const deleteUniversityTerm = endpoint(
  {
    id: "deleteUniversityTerm",
    method: "delete",
    path: single,
    summary: "Delete an unused term",
    ...permittedTo("term:write"),
    params,
    ...noContent("Deleted"),
    fails: [400, 403, 404],
    refuses: { 400: ["still_in_use"] },
  },
  ({ deps, actor, params }) => terms.deleteTerm(deps.db, actor, params),
);
