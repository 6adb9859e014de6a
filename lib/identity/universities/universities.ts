import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type {
  University,
  UniversityCreate,
  UniversityQuery,
  UniversityUpdate,
} from "../../../schema/api/identity/universities.ts";
import { universities } from "../../../schema/db/identity/universities.ts";
import type { AuditAction } from "../../../schema/enums.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import {
  containsAllWordsCondition,
  searchAndSortBy,
  sortKeysForParameter,
} from "../../platform/db/query/search-and-sort.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { insertAuditEventsQuery } from "../audit/record.ts";
import type { Actor } from "../auth/actor.ts";
import { logoUrlAndShades } from "../looks/university-branding.ts";
import { can, type PolicyAction } from "../rbac/policy.ts";
import { permissionCondition } from "../rbac/scopes.ts";

const { search_text, ...columns } = getTableColumns(universities);

type Row = Omit<University, "logo_url" | "shades"> & { logo_token: string | null };

const shown = ({ logo_token, ...university }: Row): University => ({
  ...university,
  ...logoUrlAndShades({ logo_token, color: university.color }),
});

const { searched, sorts } = searchAndSortBy(search_text, "name", { short_code: [universities.short_code] });

/** Including inactive ones. */
export async function listUniversities(
  db: ReadDb,
  { q, country_id, is_active, sort, ...window }: UniversityQuery,
): Promise<ListPage<University>> {
  const page = createPageQuery(window, sortKeysForParameter(sort, sorts, universities.id));
  const wanted = and(
    containsAllWordsCondition(searched, q),
    country_id ? eq(universities.country_id, country_id) : undefined,
    is_active === undefined ? undefined : eq(universities.is_active, is_active),
  );
  const rows = await db
    .select({ ...columns, page_key: page.key })
    .from(universities)
    .where(page.where(wanted))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows).map(shown);
}

/** 404 if there is none. */
export async function getUniversity(db: ReadDb, universityId: number): Promise<University> {
  const [university] = await db.select(columns).from(universities).where(eq(universities.id, universityId));
  if (!university) throw notFound("University");
  return shown(university);
}

/** 400 if the short code is taken or the country does not exist. */
export async function createUniversity(db: Db, input: UniversityCreate): Promise<University> {
  const [university] = await db.insert(universities).values(input).returning(columns);
  if (!university) throw notFound("University");
  return shown(university);
}

/**
 * Absent fields are unchanged. 403 for non-administrators, 400 if its required own identity provider is
 * missing.
 */
export async function updateUniversity(
  db: Db,
  actor: Actor,
  universityId: number,
  change: UniversityUpdate,
): Promise<University> {
  const changed = db.$with("changed").as(
    db
      .update(universities)
      .set(partialUpdateValues(change, universities))
      .where(
        and(
          eq(universities.id, universityId),
          permissionCondition(actor, "university:update", universities.id),
          change.requires_own_provider ? hasProvider : undefined,
        ),
      )
      .returning(columns),
  );
  const [university] = await db
    .with(changed, ...switchesNoted(db, actor, change))
    .select(changed._.selectedFields)
    .from(changed);
  if (university) return shown(university);
  await ensureAllowedInUniversity(db, actor, "university:update", universityId);
  await getUniversity(db, universityId);
  throw badRequest("no_own_identity_provider");
}

const hasProvider = sql`lock_and_check_identity_provider_requirement(${universities.id}, asks => true)`;

function switchesNoted(db: Db, actor: Actor, change: UniversityUpdate) {
  const { is_active = true, requires_own_provider = true } = change;
  const noted = (name: "is_active" | "requires_own_provider", action: AuditAction) => {
    const column = sql.identifier(name);
    const switched = sql`changed join universities as former on former.id = changed.id
      and former.${column} <> changed.${column}`;
    const act = { action, actor: actor.id, university: sql`changed.id` };
    return db.$with(`${name}_noted`, {}).as(insertAuditEventsQuery(act, switched));
  };
  return [
    noted("is_active", is_active ? "university.reactivated" : "university.deactivated"),
    noted(
      "requires_own_provider",
      requires_own_provider ? "university.own_provider_required" : "university.own_provider_waived",
    ),
  ];
}

/** Deletes its departments, roles and assets too; 400 while it has courses. */
export async function deleteUniversity(db: Db, universityId: number): Promise<void> {
  const deleted = await db
    .delete(universities)
    .where(eq(universities.id, universityId))
    .returning({ id: universities.id });
  if (deleted.length === 0) throw notFound("University");
}

/** 404 without university or department, else 403 unless the actor may do `action` there. */
export async function ensureAllowedInUniversity(
  db: ReadDb,
  actor: Actor,
  action: PolicyAction,
  universityId: number,
  departmentId: number | null = null,
): Promise<void> {
  const scope = { university_id: universityId, department_id: departmentId };
  if (!can(actor.roles, action, scope)) await explainRefusal(db, universityId);
}

/** A missing university in the path is a 404, not an invalid value. */
export function rethrowMissingUniversityAsNotFound(error: unknown): never {
  const missing = constraintViolationIn(error)?.constraint?.endsWith("_university_id_universities_id_fk");
  throw missing ? notFound("University") : error;
}

/** Universities are public, so a missing right is a 403. */
async function explainRefusal(db: ReadDb, universityId: number): Promise<never> {
  await getUniversity(db, universityId);
  throw forbidden();
}
