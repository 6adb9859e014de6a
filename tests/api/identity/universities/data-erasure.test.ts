import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { executeApprovedUniversityErasures } from "../../../../lib/operations/data-requests/erase.ts";
import { tablesExcludedFromUniversityExport } from "../../../../lib/operations/data-requests/university-tables.ts";
import { eraseConversationsOfErasedAccounts } from "../../../../lib/operations/personal-data/erase-leftovers.ts";
import { auditEvents } from "../../../../schema/db/identity/audit.ts";
import { userUniversityRoles } from "../../../../schema/db/identity/roles.ts";
import { liveALife } from "../../../support/life.ts";
import { makersOf } from "../../../support/makers.ts";
import { reportSums } from "../../../support/report-sums.ts";
import { tablesWith } from "../../../support/tables-with.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const never = new AbortController().signal;
const work = () => executeApprovedUniversityErasures(world.deps, never);
/** Ends once the person can have no request in progress. */
const end = async () => {
  const before = world.deps.now();
  world.setNow(new Date(before.getTime() + 60 * 60 * 1000).toISOString());
  await work();
  world.setNow(before.toISOString());
};
const sweep = () => eraseConversationsOfErasedAccounts(world.deps, never);

async function officeOf(university_id: number) {
  const admin = await make.holder("university_admin", university_id);
  const officers = [await make.holder("student", university_id), await make.holder("student", university_id)];
  for (const { id } of officers)
    await world
      .as(admin)
      .post(`/universities/${university_id}/offices`, { user_id: id, right: "data-request:write" });
  const [first, second] = officers.map((officer) => world.as(officer));
  if (!first || !second) throw new Error("no office");
  const path = `/universities/${university_id}/data-requests`;
  return {
    admin: world.as(admin),
    /** Requests an erasure if there is none, and returns the decision. */
    async erase(user_id: number) {
      await first.post(path, { user_id, kind: "ERASE" });
      const [{ id }] = (await first.get(`${path}?state=OPEN`)).body;
      return second.put(`${path}/${id}/decision`, { approve: true });
    },
    states: async () => (await first.get(path)).body.map(({ state }: { state: string }) => state),
  };
}

/** Tables with that number in a column that references people. */
async function tablesNaming(id: number): Promise<string[]> {
  const { rows: columns } = await world.deps.db.execute(sql`
    select table_name as "table", column_name as "column" from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'integer'
      and (column_name like '%user_id' or column_name ~ '(created|changed|updated|edited|pinned|undone)_by$')`);
  const found: string[] = [];
  for (const { table, column } of columns as { table: string; column: string }[]) {
    const { rows } = await world.deps.db.execute(
      sql`select from ${sql.identifier(table)} where ${sql.identifier(column)} = ${id} limit 1`,
    );
    if (rows.length > 0) found.push(table);
  }
  return found.sort();
}

describe("the erasure of a university's part", () => {
  it("removes the person from the university's data, and leaves account, reports and record unchanged", async () => {
    const words = "of a heron in slippers";
    const life = await liveALife(world, words);
    const office = await officeOf(life.university.id);
    const elsewhere = await make.offering(await make.course((await make.university()).id));
    await life.as("POST", "/enrollments/", { course_offering_id: elsewhere.id });
    const before = await reportSums(world);
    const erased = await office.erase(life.id);
    expect([erased.status, erased.body]).toMatchObject([200, { state: "APPROVED", done_at: null }]);
    expect(await work()).toBeGreaterThan(2);
    expect(await office.states()).toEqual(["APPROVED"]);
    await end();
    expect(await office.states()).toEqual(["DONE"]);
    expect(await reportSums(world)).toEqual(before);
    await sweep();
    expect(await reportSums(world)).toEqual(before);

    const theirs = [
      "data_requests",
      "enrollment_progress",
      "enrollments",
      "flashcards",
      "university_members",
    ];
    const left = (await tablesNaming(life.id)).filter(
      (table) => !tablesExcludedFromUniversityExport.includes(table),
    );
    expect(left.filter((table) => !theirs.includes(table) && table !== "user_university_roles")).toEqual([]);
    const record = ["erased_identifiers", "grade_changes", "quiz_attempts"];
    const ofTheirs = [...tablesExcludedFromUniversityExport, "flashcards", "university_members"];
    const spoken = (await tablesWith(world, words)).map(({ where }) => where);
    expect(spoken.filter((where) => !ofTheirs.includes(where))).toEqual(record);

    expect((await life.as("GET", "/users/me")).status).toBe(200);
    const places = await life.as("GET", "/enrollments/my-enrollments");
    expect(places.body).toMatchObject([{ course_offering_id: elsewhere.id }]);
    const told = and(eq(auditEvents.action, "data_request.done"), eq(auditEvents.subject_id, life.id));
    expect(await world.deps.db.$count(auditEvents, told)).toBe(1);
    // Attempts still count for a person who returns.
    await life.as("POST", "/enrollments/", { course_offering_id: life.offering.id });
    const { rows } = await world.deps.db.execute(
      sql`select cardinality(current_and_former_account_ids(${life.id}::int)) as selves, (
        select count(*)::int from quiz_attempts where user_id = any (current_and_former_account_ids(${life.id}::int))) as attempts`,
    );
    expect(rows).toEqual([{ selves: 2, attempts: 1 }]);
  });

  it("gives the place to the next in line, and leaves the grades to a number in the gradebook", async () => {
    const life = await liveALife(world, "of a place");
    const office = await officeOf(life.university.id);
    await world.deps.db.execute(sql`update course_offerings set capacity = 1 where id = ${life.offering.id}`);
    const next = world.as(await make.person());
    const waiting = await next.post("/enrollments/", { course_offering_id: life.offering.id });
    expect(waiting.body.status).toBe("WAITLISTED");
    await office.erase(life.id);
    await work();
    expect((await next.get(`/enrollments/${waiting.body.id}`)).body.status).toBe("ACTIVE");
    const { body } = await office.admin.get(`/assessments/offerings/${life.offering.id}/gradebook`);
    const erased = body.rows.filter((row: { is_erased: boolean }) => row.is_erased);
    expect(erased).toMatchObject([{ full_name: null, email: null }]);
    expect(erased[0].user_id).not.toBe(life.id);
  });

  it("is rejected for administrators, and during a hold; a later hold delays it", async () => {
    const life = await liveALife(world, "of a hold");
    const { id: university_id } = life.university;
    const office = await officeOf(university_id);
    const holder = await make.holder("student", university_id);
    await office.admin.post(`/universities/${university_id}/offices`, {
      ...{ user_id: holder.id, right: "retention:write" },
    });
    const holds = `/universities/${university_id}/retention/holds`;
    const keeper = world.as(holder);
    const hold = async (what: object) => (await keeper.post(holds, { reason: "Appeal", ...what })).body.id;
    const refusal = async () => (await office.erase(life.id)).headers.get("x-error-code");

    const role = { user_id: life.id, university_id, role: "DEPARTMENT_ADMIN" as const };
    await world.deps.db.insert(userUniversityRoles).values(role);
    expect(await refusal()).toBe("data_request_administrator");
    await world.deps.db.delete(userUniversityRoles).where(eq(userUniversityRoles.role, "DEPARTMENT_ADMIN"));
    for (const what of [{ user_id: life.id }, { course_offering_id: life.offering.id }]) {
      const id = await hold(what);
      expect(await refusal()).toBe("data_request_held");
      expect((await keeper.delete(`${holds}/${id}`)).status).toBe(204);
    }
    expect(await refusal()).toBeNull();
    const id = await hold({ user_id: life.id });
    expect(await work()).toBe(1);
    expect(await office.states()).toEqual(["APPROVED"]);
    await keeper.delete(`${holds}/${id}`);
    await work();
    await end();
    expect(await office.states()).toEqual(["DONE"]);
  });
});
