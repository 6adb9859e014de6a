import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

const request = `'{"at": "2026-03-10T12:00:00Z"}'::jsonb`;

type Given = { kind: string; sourced_id?: string; email?: string; is_deletion?: boolean; details?: object };

/** Works an import of these rows into the college, in the name of its administrator Ada, to its end. */
async function imported(given: Given[], { dry = false, most = 100 } = {}) {
  // The college created Ben and Cyd.
  await rows("update users set made_by_university_id = 1 where id in (2, 3)");
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'university_admin') on conflict do nothing",
  );
  const id = await value(`
    insert into imports (university_id, created_by_user_id, format, is_dry_run, overrides, total, created_at)
    values (1, 1, 'csv', ${dry}, false, ${given.length}, now()) returning id`);
  for (const [line, { kind, sourced_id, email, is_deletion = false, details = {} }] of given.entries())
    await rows(`insert into import_rows (import_id, kind, file, line, sourced_id, email, is_deletion, details)
      values (${id}, '${kind}', 'f', ${line}, ${quoted(sourced_id)}, ${quoted(email)}, ${is_deletion},
        '${JSON.stringify(details)}')`);
  while (await value(`select process_next_import_rows(${id}, ${most}, ${request}, null)`));
  return rows(`select outcome, reason from import_rows where import_id = ${id} order by id`);
}

const quoted = (text?: string) => (text === undefined ? "null" : `'${text}'`);
const outcomes = async (given: Given[], options = {}) =>
  (await imported(given, options)).map(({ outcome }) => outcome);

const person = (email: string, full_name: string, sourced_id?: string): Given => ({
  kind: "person",
  email,
  ...(sourced_id && { sourced_id }),
  details: { full_name },
});

it("import_people creates people, finds them by id or address, and changes neither an address nor a stranger's name", async () => {
  const files = [person("new@example.edu", "New", "s-1"), person("ben@example.edu", "Benjamin")];
  expect(await outcomes(files)).toEqual(["created", "updated"]);
  expect(await outcomes(files)).toEqual(["unchanged", "unchanged"]);
  expect(await value("select full_name from users where id = 2")).toBe("Benjamin");
  await rows("update users set password_hash = 'theirs' where id = 2");
  expect(await outcomes([person("ben@example.edu", "Mallory")])).toEqual(["offered"]);
  await rows("update users set email_verified_at = now() where id = 2");
  expect(await outcomes([person("ben@example.edu", "Mallory")])).toEqual(["unchanged"]);
  await rows("update users set password_hash = null, email_verified_at = null where id = 2");
  expect(await outcomes([person("ben@example.edu", "Ben B.")])).toEqual(["updated"]);
  await rows(`with other as (
    insert into universities (name, short_code, country_id) select 'Other', 'OT', country_id from universities returning id)
    insert into user_university_roles (user_id, university_id, role) select 2, id, 'student' from other`);
  expect(
    await imported([person("ben@example.edu", "Mallory"), person("else@example.edu", "New", "s-1")]),
  ).toEqual([
    { outcome: "unchanged", reason: null },
    { outcome: "refused", reason: "row_address_is_theirs" },
  ]);
  expect(
    await rows("select full_name from users where full_name in ('Mallory') or email = 'else@example.edu'"),
  ).toEqual([]);
});

it("remove_person_from_university_by_import revokes roles and seats of the university, never the importer's own or a higher one's", async () => {
  await rows("select enroll(1, 2, now()), enroll(1, 3, now())");
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (3, 1, 'platform_admin')",
  );
  const gone = (email: string): Given => ({ kind: "person", email, is_deletion: true });
  const given = [
    gone("ben@example.edu"),
    gone("cyd@example.edu"),
    gone("ada@example.edu"),
    gone("no@example.edu"),
  ];
  expect(await imported(given)).toEqual([
    { outcome: "updated", reason: null },
    { outcome: "refused", reason: "row_role_out_of_reach" },
    { outcome: "refused", reason: "row_own_removal" },
    { outcome: "unchanged", reason: null },
  ]);
  expect(await rows("select status from enrollments where user_id = 2")).toEqual([{ status: "dropped" }]);
  expect(await rows("select from user_university_roles where user_id = 2")).toEqual([]);
  expect(
    await rows(
      "select subject_id, details ->> 'role' as role from audit_events where action = 'role.revoked' order by id",
    ),
  ).toEqual([{ subject_id: 2, role: "student" }]);
});

it("import_roles grants and revokes as far as the importer may, with an audit event each", async () => {
  const role = (name: string, more: object = {}, is_deletion = false): Given => ({
    kind: "role",
    email: "ben@example.edu",
    is_deletion,
    details: { role: name, ...more },
  });
  expect(
    await imported([role("ta"), role("ta"), role("platform_admin"), role("ta", { department_code: "X" })]),
  ).toEqual([
    { outcome: "created", reason: null },
    { outcome: "unchanged", reason: null },
    { outcome: "refused", reason: "row_role_not_yours" },
    { outcome: "refused", reason: "row_department_unknown" },
  ]);
  expect(await outcomes([role("ta", {}, true), role("instructor", {}, true)])).toEqual([
    "updated",
    "unchanged",
  ]);
  expect(await rows("select action from audit_events where action like 'role%' order by id")).toEqual([
    { action: "role.granted" },
    { action: "role.revoked" },
  ]);
  await rows("delete from user_university_roles where user_id = 1");
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'university_admin')",
  );
});

it("import_offerings and import_enrollments create classes, teachers and seats, once", async () => {
  const course = { course_code: "NEW", course_title: "New course" };
  const details = {
    ...course,
    term_name: "Spring",
    starts_at: "2026-04-01T00:00:00Z",
    ends_at: "2026-07-01T00:00:00Z",
  };
  const enrolled = (as: string, is_deletion = false): Given => ({
    kind: "enrollment",
    email: as === "teacher" ? "cyd@example.edu" : "ben@example.edu",
    is_deletion,
    details: { as, class_sourced_id: "c-1" },
  });
  const files: Given[] = [
    { kind: "offering", sourced_id: "c-1", details },
    enrolled("student"),
    enrolled("teacher"),
  ];
  expect(await outcomes(files, { dry: true })).toEqual(["created", "created", "created"]);
  expect(await value("select count(*)::int from courses where code = 'NEW'")).toBe(0);
  expect(await outcomes(files, { most: 1 })).toEqual(["created", "created", "created"]);
  expect(await outcomes(files)).toEqual(["unchanged", "unchanged", "unchanged"]);
  expect(await outcomes([enrolled("student", true), enrolled("teacher", true)])).toEqual([
    "updated",
    "updated",
  ]);
  expect(await outcomes(files)).toEqual(["unchanged", "updated", "created"]);
});

it("an empty batch has no result; lock_offerings_with_course_seats locks, and refusals of enroll are stored as codes", async () => {
  await rows("select lock_offerings_with_course_seats(array[1, 2])");
  await imported([person("ben@example.edu", "Ben")]);
  for (const call of [
    "people_matching_import_rows(imports, '{}')",
    "invitation_addresses_of_import_rows(imports, '{}')",
    "offerings_named_by_import_rows(imports, '{}')",
    "import_offerings(imports, '{}')",
    `import_people(imports, '{}', ${request})`,
    `import_roles(imports, '{}', ${request})`,
    `import_enrollments(imports, '{}', ${request})`,
  ])
    expect(await rows(`select one.* from imports, lateral ${call} as one`)).toEqual([]);
  expect(
    await value(
      `select outcome from imports, remove_person_from_university_by_import(imports, 0, 3, ${request})`,
    ),
  ).toBe("unchanged");
  await rows("update course_offerings set enrollment_end = '2020-01-01' where id = 1");
  const given = {
    kind: "enrollment",
    email: "ben@example.edu",
    details: { as: "student", course_offering_id: 1 },
  };
  expect(await imported([given])).toEqual([{ outcome: "refused", reason: "enrollment_not_open" }]);
});

it("process_next_import_rows rejects the rest once its creator may not import any more", async () => {
  await rows("update users set is_active = false where id = 1");
  expect(await imported([person("new@example.edu", "New")])).toMatchObject([
    { outcome: "refused", reason: "row_importer_lost_right" },
  ]);
  expect(await value("select ended_at is not null from imports")).toBe(true);
});

it("invite_by_import_unless_declined offers once, again after expiry, and not after a decline", async () => {
  await imported([person("ben@example.edu", "Ben")]);
  const offer = (at = "2026-03-10T12:00:00Z") =>
    value(`select invite_by_import_unless_declined(imports, 'x@example.org', 's-9', 'ta', null, null, false, '{"at": "${at}"}'::jsonb)
      from imports`);
  const mails = () => value("select count(*)::int from audit_events where action = 'invitation.sent'");
  expect([await offer(), await offer(), await mails()]).toEqual([null, null, 1]);
  expect([await offer("2026-03-17T12:00:00Z"), await mails()]).toEqual([null, 2]);
  expect(await rows("select email, role, sourced_id, source from invitations")).toEqual([
    { email: "x@example.org", role: "ta", sourced_id: "s-9", source: "import" },
  ]);
  await rows("update invitations set declined_at = now(), revoked_at = now()");
  expect([await offer(), await mails()]).toEqual(["row_offer_declined", 2]);
});

it("import_offerings reads times in the university's zone unless they name another", async () => {
  await rows("update universities set time_zone = 'Europe/Berlin'");
  const details = { course_code: "DE", course_title: "Deutsch", starts_at: "2026-07-01T00:00:00" };
  const ofClass = (sourced_id: string, ends_at?: string) => ({
    kind: "offering",
    sourced_id,
    details: { ...details, term_name: sourced_id, ends_at: ends_at ?? null },
  });
  await imported([ofClass("c-8", "2026-08-01T00:00:00.000Z"), ofClass("c-9")]);
  expect(
    await rows(
      "select starts_at::text, ends_at::text from course_offerings where term_name in ('c-8', 'c-9') order by term_name",
    ),
  ).toEqual([
    { starts_at: "2026-06-30 22:00:00+00", ends_at: "2026-08-01 00:00:00+00" },
    { starts_at: "2026-06-30 22:00:00+00", ends_at: null },
  ]);
});
