import { type SQL, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { withinOneClass } from "../../../lib/integrations/one-roster/class-collection.ts";
import { gradebookCollectionByClassFilter } from "../../../lib/integrations/one-roster/gradebook.ts";
import { listAcrossClasses } from "../../../lib/integrations/one-roster/list-across-classes.ts";
import { listResources } from "../../../lib/integrations/one-roster/read-resources.ts";
import { results } from "../../../lib/integrations/one-roster/results.ts";
import { rosteringCollection } from "../../../lib/integrations/one-roster/rostering.ts";
import { OneRosterQuery } from "../../../schema/api/integrations/one-roster.ts";
import { makeGradedClasses } from "../../support/graded-classes.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { notingStatements, type PlanNode } from "../platform/plans.ts";

/* A page of a whole university reads what is on the page. */

const world = openWorld();
const make = makersOf(world);
const size = { classes: 40, learners: 5 };
const people = 400;
let made: Awaited<ReturnType<typeof makeGradedClasses>>;

beforeAll(async () => {
  made = await makeGradedClasses(world, size);
  const { db } = world.deps;
  const { id } = made.university;
  await db.execute(sql`
    insert into users (email, full_name) select 'many-' || n || '@example.edu', 'Person ' || n from generate_series(1, ${people}) as n`);
  await db.execute(sql`
    insert into user_university_roles (user_id, university_id, role)
    select users.id, ${id}, case when users.id % 40 = 0 then 'instructor' else 'student' end from users where email like 'many-%'`);
  await db.execute(sql`
    insert into enrollments (user_id, course_offering_id)
    select users.id, ${made.offerings[0]?.id} from users where email like 'many-%' and users.id % 2 = 0`);
  await db.execute(sql`vacuum analyze`);
});

const serviceOf = (university: number) => ({ rostering: "", gradebook: "", university });

/** A page, and how often each function or table was read for it, and how many rows. */
async function readWith(read: (db: typeof world.deps.db) => Promise<unknown>) {
  const statements: SQL[] = [];
  await read(notingStatements(world.deps.db, statements));
  const nodes: PlanNode[] = [];
  for (const statement of statements) {
    const { rows } = await world.deps.db.execute<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
      sql`explain (analyze, verbose, format json) ${statement}`,
    );
    nodes.push(...rows.flatMap((row) => nodesOf(row["QUERY PLAN"][0].Plan)));
  }
  const sumOf = (name: string, count: (node: PlanNode) => number) =>
    nodes
      .filter((node) => node["Function Name"] === name || node["Relation Name"] === name)
      .reduce((sum, node) => sum + count(node), 0);
  return {
    calls: (name: string) => sumOf(name, (node) => Number(node["Actual Loops"])),
    rows: (name: string) =>
      sumOf(name, (node) => {
        const removed = Number(node["Rows Removed by Filter"] ?? 0);
        return (Number(node["Actual Rows"]) + removed) * Number(node["Actual Loops"]);
      }),
  };
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const pageOf = (name: string, query: object) => {
  const { university } = made;
  const parsed = OneRosterQuery.parse({ limit: 10, ...query });
  const list = gradebookCollectionByClassFilter(name, parsed.filter, university.id);
  return readWith((db) =>
    "across" in list
      ? listAcrossClasses(db, list.across, parsed, serviceOf(university.id))
      : listResources(db, list, parsed, serviceOf(university.id)),
  );
};

describe("a page of results of a university", () => {
  // Five results in a class: ten and the next one are in three.
  it.each(["first", "last"])("computes the %s few classes only", async (which) => {
    const { offerings, quiz, learners } = made;
    const after = `result-${offerings.at(-4)?.id}-${quiz.id}-${learners.at(-1)?.id}`;
    const { calls, rows } = await pageOf("results", which === "first" ? {} : { after });
    expect(calls("gradebook_items_of_offering")).toBeGreaterThan(0);
    expect(calls("gradebook_items_of_offering")).toBeLessThanOrEqual(4);
    expect(calls("gradebook_cells_of_people")).toBeLessThanOrEqual(3);
    // Three quizzes of five people in each class, read to know that the class has work and then for its cells.
    expect(rows("quiz_attempts")).toBeLessThanOrEqual(size.classes + 4 * 15);
  });

  it("computes the changed classes only", async () => {
    const { offerings, quiz, learners } = made;
    await world.deps.db.execute(sql`
      update quiz_attempts set submitted_at = '2026-05-02'
      where course_offering_id = ${offerings[30]?.id} and content_item_id = ${quiz.id} and user_id = ${learners[0]?.id}`);
    const { calls } = await pageOf("results", { filter: "dateLastModified>='2026-05-01'" });
    expect(calls("gradebook_items_of_offering")).toBe(1);
    expect(calls("gradebook_cells_of_people")).toBe(1);
  });

  it("computes the classes of a student only, and no grades far behind the page", async () => {
    const other = await make.offering(made.course);
    const student = await make.person();
    await make.enrollment(student.id, other.id);
    const ofStudent = await pageOf("results", { filter: `student.sourcedId='user-${student.id}'` });
    expect(ofStudent.calls("gradebook_items_of_offering")).toBeLessThanOrEqual(1);
    const behind = await pageOf("results", { offset: 150 });
    expect(behind.calls("gradebook_cells_of_people")).toBeLessThanOrEqual(3);
  });
});

describe("a page of line items of a university", () => {
  it("computes a few classes only", async () => {
    const { calls } = await pageOf("lineItems", {});
    expect(calls("gradebook_items_of_offering")).toBeLessThanOrEqual(5);
    const last = `lineItem-${made.offerings.at(-3)?.id}-${made.anonymous.id}`;
    expect(
      (await pageOf("lineItems", { after: last })).calls("gradebook_items_of_offering"),
    ).toBeLessThanOrEqual(5);
  });

  it("computes none if no title and no change matches", async () => {
    for (const filter of ["title='none'", "dateLastModified>='2030-01-01'"])
      expect((await pageOf("lineItems", { filter })).calls("gradebook_items_of_offering")).toBe(0);
  });
});

describe("a list of results", () => {
  it("has exactly the cells with a state whose grades are released", async () => {
    const { university, offerings, quiz, learners } = made;
    const { db } = world.deps;
    const offering = offerings[5]?.id ?? 0;
    const [excused, regraded, unscored, open, zero] = learners.map(({ id }) => id);
    const attempt = (person: number | undefined, change: SQL) =>
      db.execute(sql`
        update quiz_attempts set ${change}
        where course_offering_id = ${offering} and content_item_id = ${quiz.id} and user_id = ${person}`);
    await attempt(unscored, sql`score_obtained = null`);
    await attempt(open, sql`score_obtained = null, submitted_at = null`);
    await attempt(zero, sql`max_score = 0`);
    await attempt(excused, sql`score_obtained = null, submitted_at = null`);
    await db.execute(sql`
      insert into item_grades (user_id, course_offering_id, content_item_id, is_excused, score_override)
      values (${excused}, ${offering}, ${quiz.id}, true, null), (${regraded}, ${offering}, ${quiz.id}, false, null)`);
    const query = OneRosterQuery.parse({ limit: 5000 });
    const list = { collection: withinOneClass(results, offering) };
    const { items } = await listResources(db, list, query, serviceOf(university.id));
    const { rows } = await db.execute(sql`
      select concat_ws('-', 'result', ${offering}::int, cell.item_id, cell.user_id) as id
      from gradebook_cells_of_people(${offering}, ${sql.param(learners.map(({ id }) => id))}::int[]) as cell
      join gradebook_items_of_offering(${offering}) as item using (item_id)
      where item.released and cell.state <> 'none'`);
    const ids = items.map((item) => (item as { sourcedId: string }).sourcedId);
    expect(ids.toSorted()).toEqual(rows.map(({ id }) => String(id)).toSorted());
    expect(ids).toHaveLength(3);
    const state = (person: number | undefined) =>
      (items as { sourcedId: string; scoreStatus: string }[]).find(({ sourcedId }) =>
        sourcedId.endsWith(`-${person}`),
      )?.scoreStatus;
    expect([excused, regraded, unscored].map(state)).toEqual(["exempt", "fully graded", "submitted"]);
  });
});

describe("a page of users", () => {
  const usersOf = (query: object, name = "users") => {
    const { id } = made.university;
    const list = rosteringCollection(name, id);
    return readWith((db) =>
      listResources(db, list, OneRosterQuery.parse({ limit: 10, ...query }), serviceOf(id)),
    );
  };

  it.each([
    ["without a filter", {}, "users"],
    ["sorted", { sort: "email", orderBy: "desc" }, "users"],
    ["by status", { filter: "status='active'" }, "users"],
    ["by role", { filter: "role='student'" }, "users"],
    ["of students", {}, "students"],
  ])("%s looks up seats of its people and of those without a granted role", async (_, query, name) => {
    const { calls } = await usersOf(query, name);
    // Learners without a granted role, some counted and some on the page; and instructors, by role.
    expect(calls("enrollments")).toBeLessThanOrEqual(60);
  });

  it("by a rare role looks for teachers once", async () => {
    const { calls } = await usersOf({ filter: "roles.role='teacher'" });
    expect(calls("course_offering_instructors")).toBeLessThanOrEqual(30);
    expect(calls("enrollments")).toBeLessThanOrEqual(60);
  });
});
