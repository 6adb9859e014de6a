import { type SQL, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Campus, Holder } from "../support/campus.ts";
import type { Reply } from "../support/client.ts";
import { makersOf } from "../support/makers.ts";
import { bodyOf, type Operation, operations, pathOf, type Values } from "../support/operations.ts";
import { openRehearsal } from "../support/rehearsal.ts";
import type { World } from "../support/world.ts";

const rehearsal = openRehearsal(keepSecret);

/** Nothing of the campus's university is published, and every text of it that is not for all says so. */
async function keepSecret({ deps: { db } }: World, { scope }: Campus): Promise<void> {
  const here = sql`university_id = ${scope.university_id}`;
  const ofCourses = sql`course_id in (select id from courses where ${here})`;
  const people = sql`id in (select user_id from user_university_roles where ${here} and role <> 'platform_admin' union
    select user_id from enrollments where ${here})`;
  const secrets: [table: string, change: SQL, which: SQL][] = [
    ["users", sql`full_name = 'secret', email = 'secret-' || email`, people],
    [
      "courses",
      sql`title = 'secret', code = 'secret-' || id, description = 'secret', is_published = false`,
      here,
    ],
    ["course_offerings", sql`term_name = 'secret'`, here],
    ["modules", sql`title = 'secret', description = 'secret'`, ofCourses],
    ["content_items", sql`title = 'secret', description = 'secret', data_json = '{"secret": 1}'`, ofCourses],
    ["assets", sql`url = 'https://secret.example.edu'`, here],
    ["chat_sessions", sql`content_context = '{"title": "secret"}', share_token = 'secret'`, sql`true`],
    ["chat_messages", sql`content = 'secret'`, sql`true`],
    ["cache_nodes", sql`message = 'secret', chunks = '["secret"]'`, sql`true`],
  ];
  for (const [table, change, which] of secrets)
    await db.execute(sql`update ${sql.identifier(table)} set ${change} where ${which}`);
}

/** Everyone who has nothing to do with the campus's university. */
const outsiders = (): (Holder | undefined)[] => [
  undefined,
  ...rehearsal.campus.people.filter(
    ({ held }) =>
      held?.university_id !== rehearsal.campus.scope.university_id && held?.role !== "platform_admin",
  ),
];

const ask = (operation: Operation, person: Holder | undefined, values: Values = {}) =>
  rehearsal.ask(person, {
    method: operation.method,
    path: pathOf(operation, { ...rehearsal.campus.paths, ...values }),
    body: bodyOf(operation, { ...rehearsal.campus.fields, ...values }),
  });

const told = (reply: Reply): string => JSON.stringify([reply.status, [...reply.headers], reply.text]);

describe("people of other universities", () => {
  it.each(operations)("learn nothing of what is not published from $name", async (operation) => {
    for (const person of outsiders())
      expect(told(await ask(operation, person)), person?.name ?? "nobody").not.toMatch(/secret/i);
  });

  const nothing = 2_000_000_000;
  const missing: Values = {
    course_id: nothing,
    prerequisite_course_id: nothing,
    offering_id: nothing,
    course_offering_id: nothing,
    module_id: nothing,
    module_ids: [nothing],
    content_id: nothing,
    content_ids: [nothing],
    content_item_id: nothing,
    node_id: nothing,
    user_id: nothing,
    asset_id: nothing,
  };
  const withIds = operations.filter(({ parameters, body }) =>
    [...parameters.map(({ name }) => name), ...Object.keys(body?.properties ?? {})].some(
      (name) => missing[name] !== undefined,
    ),
  );

  it.each(withIds)("cannot tell from $name whether such a thing exists", async (operation) => {
    const withoutIds = ({ status, text }: Reply) => `${status} ${text.replaceAll(/'\d+'/g, "'…'")}`;
    for (const person of outsiders()) {
      const asked = withoutIds(await ask(operation, person));
      expect(asked, person?.name).toBe(withoutIds(await ask(operation, person, missing)));
    }
  });

  it("find nothing changed in any answer by what is added there", async () => {
    const reads = operations.filter(({ method }) => method === "GET");
    const answers = async () => {
      const all: string[] = [];
      for (const operation of reads)
        for (const person of outsiders()) {
          const { status, text } = await ask(operation, person);
          all.push(`${operation.name} ${person?.name}: ${status} ${text}`);
        }
      return all;
    };
    const before = await answers();
    await addMore(rehearsal.world, rehearsal.campus);
    expect(await answers()).toEqual(before);
  });
});

/** More of everything that is not for all. */
async function addMore(world: World, { scope }: Campus): Promise<void> {
  const make = makersOf(world);
  const admin = world.as(await make.holder("platform_admin", scope.university_id));
  const [student, instructor] = await Promise.all([
    make.holder("student", scope.university_id),
    make.holder("instructor", scope.university_id),
  ]);
  const draft = await make.course(scope.university_id, { is_published: false });
  const module = await make.module(draft.id);
  const item = await make.contentItem(module, scope.university_id);
  const offering = await make.offering(draft);
  await make.enrollment(student.id, offering.id);
  await admin.post("/assets/", { url: "https://secret.example.edu", asset_type: "pdf", ...scope });
  await admin.post(`/courses/${draft.id}/offerings/${offering.id}/instructors`, { user_id: instructor.id });
  await admin.post("/progress/content", { content_item_id: item.id, course_offering_id: offering.id });
}
