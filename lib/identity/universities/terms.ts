import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import {
  type Term,
  type TermCreate,
  type TermQuery,
  type TermUpdate,
  termEndsTooEarly,
} from "../../../schema/api/courses/terms.ts";
import { terms } from "../../../schema/db/courses/terms.ts";
import { universities } from "../../../schema/db/identity/universities.ts";
import { forbidden, invalidField, notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../../platform/db/query/search-and-sort.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import type { Actor } from "../auth/actor.ts";
import { permissionCondition } from "../rbac/scopes.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "./universities.ts";

const columns = getTableColumns(terms);

/** A term's id is valid only within its university. */
export type TermPath = { university_id: number; term_id: number };

const sorts = { starts_on: [terms.starts_on], id: [] };

/** 404 without the university. */
export async function listTerms(
  db: ReadDb,
  universityId: number,
  { q, sort, ...window }: TermQuery,
): Promise<JsonListPage<Term>> {
  const wanted = and(
    eq(terms.university_id, universityId),
    containsAllWordsCondition(sql`searched(${terms.name})`, q),
  );
  const found = await queryJsonPageOfOwner<Term>(
    db,
    sql`${universities} where ${universities.id} = ${universityId}`,
    createPageQuery(window, sortKeysForParameter(sort, sorts, terms.id)).rows(columns, sql`${terms}`, wanted),
  );
  if (!found) throw notFound("University");
  return found;
}

/** 404 if the university has none with that id. */
export async function getTerm(db: ReadDb, path: TermPath): Promise<Term> {
  const [term] = await db.select(columns).from(terms).where(at(path));
  if (term) return term;
  await getUniversity(db, path.university_id);
  throw notFound("Term");
}

/** 403 without the right, 400 if the name is taken. */
export async function createTerm(
  db: Db,
  actor: Actor,
  universityId: number,
  input: TermCreate,
): Promise<Term> {
  await ensureAllowedInUniversity(db, actor, "term:write", universityId);
  const [term] = await db
    .insert(terms)
    .values({ ...input, university_id: universityId })
    .returning(columns)
    .catch(rethrowMissingUniversityAsNotFound);
  if (!term) throw notFound("Term");
  return term;
}

/** Absent fields are unchanged. Renames the term in offerings that use its name. */
export async function updateTerm(db: Db, actor: Actor, path: TermPath, change: TermUpdate): Promise<Term> {
  const [term] = await db
    .update(terms)
    .set(partialUpdateValues(change, terms))
    .where(and(at(path), permissionCondition(actor, "term:write", terms.university_id)))
    .returning(columns)
    .catch(throwEarlyEnd);
  return term ?? explainRefusal(db, path);
}

/** 400 while offerings use the term. */
export async function deleteTerm(db: Db, actor: Actor, path: TermPath): Promise<void> {
  const deleted = await db
    .delete(terms)
    .where(and(at(path), permissionCondition(actor, "term:write", terms.university_id)))
    .returning({ id: terms.id });
  if (deleted.length === 0) await explainRefusal(db, path);
}

const at = ({ university_id, term_id }: TermPath): SQL | undefined =>
  and(eq(terms.id, term_id), eq(terms.university_id, university_id));

/** Terms are public, so an existing one that was not written is a 403. */
async function explainRefusal(db: Db, path: TermPath): Promise<never> {
  await getTerm(db, path);
  throw forbidden();
}

function throwEarlyEnd(error: unknown): never {
  const isTooEarly = constraintViolationIn(error)?.constraint === "terms_ends_on_check";
  throw isTooEarly ? invalidField(["ends_on"], termEndsTooEarly) : error;
}
