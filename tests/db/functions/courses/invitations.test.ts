import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

const at = "2026-03-10T12:00:00Z";
const request = `'{"at": "${at}", "id": "the-request"}'::jsonb`;

/** Ada administers the college; the invitation's id. */
async function invited(email: string, offering = "null", role: string | null = "'ta'", teaches = false) {
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'university_admin') on conflict do nothing",
  );
  return value(
    `select (invitation).id from invite(1, '${email}', jsonb_build_object(
      'role', ${role}::text, 'offering_id', ${offering}::int, 'teaches', ${teaches}), 1, ${request})`,
  );
}

it("can_grant_role follows the ranks: up to the caller's, in a department up to instructor, and nothing when inactive", async () => {
  await rows("insert into departments (university_id, name, code) values (1, 'D', 'D')");
  await rows(`insert into user_university_roles (user_id, university_id, role, department_id) values
    (1, 1, 'university_admin', null), (2, 1, 'department_admin', 1), (3, 1, 'instructor', null)`);
  const may = (person: number, role: string, department: number | null = null) =>
    value(`select can_grant_role(${person}, '${role}', 1, ${department})`);
  expect([await may(1, "university_admin"), await may(1, "platform_admin")]).toEqual([true, false]);
  expect([await may(2, "instructor", 1), await may(2, "department_admin", 1), await may(2, "ta")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await may(3, "student")).toBe(false);
  await rows("update user_university_roles set department_id = null where user_id = 2");
  expect([await may(2, "instructor", 1), await may(2, "ta")]).toEqual([true, false]);
  await rows("update users set is_active = false where id = 1");
  expect(await may(1, "ta")).toBe(false);
});

it("invite has one mail wait for an address, a minute after the last, and has a leased one made again", async () => {
  await invited("ada@example.edu");
  await rows("update mail_outbox set tries = 1, lease_until = now()");
  await invited("ada@example.edu");
  expect(await rows("select tries, lease_until from mail_outbox")).toEqual([{ tries: 2, lease_until: null }]);
  await rows("update mail_outbox set ended_at = now()");
  await invited("ada@example.edu");
  expect(await value("select max(due_at) from mail_outbox")).toEqual(new Date("2026-03-10T12:01:00Z"));
});

it("accept_invitation grants everything to the owner of the address, and nothing to others", async () => {
  const id = await invited("ben@example.edu", "1");
  await rows("select lock_targets_of_invitations(array[1])");
  expect(await rows(`select * from accept_invitation(${id}, 3, ${request})`)).toEqual([
    { refusal: "void", missing: null },
  ]);
  expect(await rows(`select * from accept_invitation(${id}, 2, ${request}, by_link => true)`)).toMatchObject([
    { refusal: null },
  ]);
  expect(await value("select email_verified_at from users where id = 2")).toEqual(new Date(at));
  expect(await rows("select role from user_university_roles where user_id = 2 order by 1")).toEqual([
    { role: "student" },
    { role: "ta" },
  ]);
  expect(await value("select status from enrollments where user_id = 2")).toBe("active");
});

it("accept_invitation_with_new_account creates no account if it cannot grant the offer", async () => {
  await invited("new@example.edu");
  await rows("update invitations set token_hash = 'h', invited_by_user_id = null");
  const join = () => rows(`select * from accept_invitation_with_new_account('h', 'New', 'hash', ${request})`);
  expect(await join()).toMatchObject([{ person: null, refusal: "withdrawn" }]);
  expect(await value("select count(*)::int from users where email = 'new@example.edu'")).toBe(0);
  await rows("update invitations set invited_by_user_id = 1");
  expect(await join()).toMatchObject([{ refusal: null, version: 0 }]);
  expect(
    await rows("select * from accept_invitation_with_new_account('x', 'New', 'hash', '{}')"),
  ).toMatchObject([{ person: null, refusal: "void" }]);
});

it("accept_invitations_of_person waits for a verified address, and leaves impossible ones open", async () => {
  await invited("cyd@example.edu");
  await invited("cyd@example.edu", "2");
  const accept = () => value(`select accept_invitations_of_person(3, ${request})`);
  expect(await accept()).toBe(0);
  await rows("update users set email_verified_at = now() where id = 3");
  await rows("update course_offerings set enrollment_end = '2020-01-01' where id = 2");
  expect(await accept()).toBe(1);
  expect(await value("select count(*)::int from invitations where accepted_at is null")).toBe(1);
});

it("accept_invitation to teach makes an instructor and enrolls nobody, while its maker teaches there", async () => {
  const id = await invited("ben@example.edu", "1", null, true);
  expect(await invited("ben@example.edu", "1", null, true)).toBe(id);
  expect(await invited("ben@example.edu", "1", null)).not.toBe(id);
  const accept = () => rows(`select refusal from accept_invitation(${id}, 2, ${request})`);
  const teachers = "select count(*)::int from course_offering_instructors where user_id = 2";
  await rows("update user_university_roles set role = 'ta' where user_id = 1");
  expect(
    await column("select is_staff_of_offering(1, 1, teaches) from unnest(array[false, true]) as teaches"),
  ).toEqual([true, false]);
  expect([await accept(), await value(teachers)]).toEqual([[{ refusal: "withdrawn" }], 0]);
  await rows("update user_university_roles set role = 'instructor' where user_id = 1");
  expect(await column("select roles_at_course(1, 1)")).toEqual(["instructor"]);
  expect([await accept(), await value(teachers)]).toEqual([[{ refusal: null }], 1]);
  expect(await value("select count(*)::int from enrollments where user_id = 2")).toBe(0);
});

it("invite with a displayed link offers in nobody's name, by its last link alone, which no mail replaces", async () => {
  const offer = (hash: string) =>
    value(
      `select ((invite(1, 'dee@example.edu', '{"role": "university_admin", "token_hash": "${hash}"}', null,
        ${request}, 'installation')).invitation).expires_at::date::text`,
    );
  expect([await offer("a"), await offer("b")]).toEqual(["2026-03-17", "2026-03-17"]);
  expect(await rows("select source, token_hash, mail_id::int, invited_by_user_id from invitations")).toEqual([
    { source: "installation", token_hash: "b", mail_id: 0, invited_by_user_id: null },
  ]);
  expect(await rows("select from mail_outbox")).toEqual([]);
  await rows("insert into users (email, full_name) values ('dee@example.edu', 'Dee')");
  expect(
    await column(
      `select refusal from users, invitations, accept_invitation(invitations.id, users.id, ${request})
       where users.email like 'dee@%'`,
    ),
  ).toEqual([null]);
  expect(await column("select role from user_university_roles")).toEqual(["university_admin"]);
});

it("raise_if_university_inactive raises for an inactive university alone", async () => {
  await rows("select raise_if_university_inactive(1)");
  await rows("update universities set is_active = false where id = 1");
  const raised = await rows("select raise_if_university_inactive(1)").then(
    () => undefined,
    ({ constraint }) => constraint,
  );
  expect(raised).toBe("university_is_active");
});
