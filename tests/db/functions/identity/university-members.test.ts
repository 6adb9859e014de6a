import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

const members = () => column("select user_id from university_members where university_id = 1 order by 1");
const grant = (role: string, person = 1) =>
  rows(`insert into user_university_roles (user_id, university_id, role) values (${person}, 1, '${role}')`);
const enroll = (person: number) =>
  rows(`insert into enrollments (user_id, course_offering_id) values (${person}, 2)`);

const differing = () =>
  rows(`select * from university_members as member join users as one on one.id = member.user_id
        where (member.full_name, member.email, member.search_text, member.created_at)
          is distinct from (one.full_name, one.email, one.search_text, one.created_at)`);

it("ensure_or_touch_university_member adds people with a role or an enrollment, once, and keeps them after its loss", async () => {
  await grant("ta");
  await grant("student");
  await enroll(1);
  await enroll(2);
  expect(await members()).toEqual([1, 2]);
  await rows("delete from user_university_roles; delete from enrollments");
  expect(await members()).toEqual([1, 2]);
  await grant("ta");
  await rows("select ensure_university_member(1, 3), ensure_university_member(1, 3)");
  expect(await members()).toEqual([1, 2, 3]);
  expect(await differing()).toEqual([]);
});

it("ensure_or_touch_university_member follows a role and an enrollment that move to another person", async () => {
  await grant("ta");
  await enroll(1);
  await rows("update user_university_roles set user_id = 2; update enrollments set user_id = 3");
  expect(await members()).toEqual([1, 2, 3]);
});

it("refresh_member_names updates the names at each university", async () => {
  await grant("ta");
  await grant("ta", 2);
  await rows("update users set full_name = 'Ädá' where id = 1");
  await rows("update users set email = 'benjamin@example.edu', created_at = '2026-01-01' where id = 2");
  expect(await differing()).toEqual([]);
  expect(await column("select search_text from university_members order by user_id")).toEqual([
    " ada ada example edu",
    " ben benjamin example edu",
  ]);
});

it("erased people are no members, and a deleted university has none", async () => {
  await grant("ta");
  await grant("ta", 2);
  await rows("delete from users where id = 1");
  expect(await members()).toEqual([2]);
  await rows("delete from courses; delete from universities");
  expect(await value("select count(*)::int from university_members")).toBe(0);
});

it("update_university_member suspends members, and is_suspended reports it", async () => {
  const request = `'{"at": "2026-03-10T12:00:00Z"}'::jsonb`;
  const set = async (wanted: boolean) =>
    (
      await rows(
        `select is_taken from update_university_member(1, 3, '{"is_active": ${wanted}}', null, ${request})`,
      )
    ).length > 0;
  expect(await set(false)).toBe(false);
  await rows("insert into user_university_roles (user_id, university_id, role) values (3, 1, 'ta')");
  expect([await set(false), await value("select is_suspended(1, 3)")]).toEqual([true, true]);
  expect([await set(true), await value("select is_suspended(1, 3)")]).toEqual([true, false]);
});

it("update_university_member names people for the university only, and people_matching_import_rows reports the source", async () => {
  const request = `'{"at": "2026-03-10T12:00:00Z"}'::jsonb`;
  const correct = (wanted: object) =>
    rows(`select is_taken, external_id, name_at_university(member)
      from update_university_member(1, 3, '${JSON.stringify(wanted)}', null, ${request})`);
  expect(await correct({ given_name: "Cy" })).toEqual([]);
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (2, 1, 'ta'), (3, 1, 'ta')",
  );
  await rows(`select from update_university_member(1, 2, '{"external_id": "s-2"}', null, ${request})`);
  expect(await correct({ given_name: "Cy", external_id: "s-2" })).toMatchObject([
    { is_taken: true, name_at_university: null },
  ]);
  expect(await correct({ given_name: "Cy", family_name: "Dee", external_id: "s-3" })).toMatchObject([
    { is_taken: false, external_id: "s-3", name_at_university: "Cy Dee" },
  ]);
  await rows(`insert into imports (university_id, created_by_user_id, format, is_dry_run, overrides, total, created_at)
    values (1, 1, 'csv', false, false, 2, now())`);
  await rows(`insert into import_rows (import_id, kind, file, line, sourced_id, is_deletion, details)
    select imports.id, 'person', 'f', line, 's-3', false, jsonb_build_object('given_name', name, 'family_name', 'Dee')
    from imports, unnest(array['Cy', 'Cyd']) with ordinality as one (name, line)`);
  const namedBy = () =>
    column(
      `select named_by from imports as one, people_matching_import_rows(one, array(select id from import_rows)) order by row_id`,
    );
  expect(await namedBy()).toEqual([null, "staff"]);
  await correct({ source: null });
  expect(await namedBy()).toEqual([null, null]);
  expect(await correct({ external_id: null })).toMatchObject([{ external_id: null }]);
});
