import { expect, it } from "vitest";
import { consumeLaunchCodeQuery } from "../../../../lib/integrations/lti/exchange-code.ts";
import { createAndLinkLtiAccountQuery } from "../../../../lib/integrations/lti/launch.ts";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

const moment = "2026-03-10T12:00:00Z";
const facts = `{"at": "${moment}"}`;
const request = `'${facts}'::jsonb`;
const told = (more: object = {}) =>
  `'${JSON.stringify({
    ...{ deployment_id: "1", subject: "s", role: "student" },
    context: { id: "c", title: "Course", grade_scopes: [] },
    link: { id: "l" },
    ...more,
  })}'::jsonb`;

/** A platform whose course `c` is bound to the first offering. */
async function bound() {
  const platform = Number(
    await value(`insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url)
      select university_id, 'LMS', 'https://lms.example.edu', 'c', 'https://lms.example.edu/a', 'https://lms.example.edu/t',
        'https://lms.example.edu/k' from course_offerings order by id limit 1 returning id`),
  );
  await rows(
    `insert into lti_deployments (platform_id, deployment_id, admitted_at) values (${platform}, '1', now())`,
  );
  const context = Number(
    await value(`insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id)
      select ${platform}, place.id, 'c', 'Course', run.id, run.university_id
      from lti_deployments as place, (select * from course_offerings order by id limit 1) as run returning id`),
  );
  const context_row = `(select one from lti_contexts as one where one.id = ${context})`;
  const platform_row = `(select one from lti_platforms as one where one.id = ${platform})`;
  const offering = Number(await value(`select course_offering_id from lti_contexts where id = ${context}`));
  let nonce = 0;
  const launch = (more: object = {}, challenge = "null") =>
    value(
      `select process_lti_launch(${platform}, ${told(more)}, 'nonce ${++nonce}', 'code ${nonce}', ${challenge}, ${request})`,
    );
  return { platform, context, context_row, platform_row, offering, launch };
}

it("process_lti_launch makes an account, gives it a seat, and keeps a code, which takenCode exchanges once", async () => {
  const { offering, launch } = await bound();
  expect(await launch({ name: "Ada" }, "'hash'")).toBe("accepted");
  expect(await rows(consumeLaunchCodeQuery("code 1", "other", facts))).toEqual([]);
  const [taken] = await rows(consumeLaunchCodeQuery("code 1", "hash", facts));
  expect(taken).toMatchObject({ launch: { course_offering_id: offering, role: "student" } });
  expect(await rows(consumeLaunchCodeQuery("code 1", "hash", facts))).toEqual([]);
  expect(
    await rows(`select email, full_name, search_text from users where id = ${taken?.["person"]}`),
  ).toEqual([{ email: null, full_name: "Ada", search_text: expect.stringContaining("ada") }]);
  expect(await launch({ context: undefined })).toBe("no_context");
  expect(await launch({ context: { id: "other", title: "Other", grade_scopes: [] } })).toBe("unbound");
  expect(await launch({ subject: "boss", role: undefined })).toBe("no_role");
});

it("set_lti_role_in_offering grants and revokes what an LMS says, and has_lti_role_in_offering reports it", async () => {
  const { context_row, offering, launch } = await bound();
  await launch();
  const person = Number(await value("select user_id from lti_people"));
  const give = (role: string) =>
    value(`select set_lti_role_in_offering(${context_row}, ${person}, ${role}, 'launch', ${request})`);
  const has = (role: string) =>
    value(`select has_lti_role_in_offering(${context_row}, ${person}, '${role}')`);
  expect([await has("student"), await has("ta")]).toEqual([true, false]);
  expect(await give("'ta'")).toBeNull();
  expect([await has("student"), await has("ta")]).toEqual([false, true]);
  expect(await value(`select status from enrollments where user_id = ${person}`)).toBe("dropped");
  expect(
    await value(
      `select removed_at is null from offering_staff where user_id = ${person} and course_offering_id = ${offering}`,
    ),
  ).toBe(true);
  expect(
    await value(
      `select is_admitted_to_course(${person}, (select course_id from course_offerings where id = ${offering}))`,
    ),
  ).toBe(true);
  expect(await give("null")).toBeNull();
  expect(await has("ta")).toBe(false);
  await give("'student'");
  await give("null");
  expect(await value(`select status from enrollments where user_id = ${person}`)).toBe("dropped");
  await rows(`update enrollments set is_dropped_by_staff = true where user_id = ${person}`);
  expect(await give("'student'")).toBe("dropped");
  await rows(`update users set is_active = false where id = ${person}`);
  expect(await give("'student'")).toBe("inactive_person");
});

it("create_enrollment_and_student_role gives a seat, and resumes a dropped one", async () => {
  const { offering } = await bound();
  const person = Number(
    await value("insert into users (email, full_name) values (null, 'New') returning id"),
  );
  const run = `(select one from course_offerings as one where one.id = ${offering})`;
  const seat = () =>
    value(`select (create_enrollment_and_student_role(${run}, ${person}, false, '${moment}')).status`);
  expect(await seat()).toBe("active");
  await rows(
    `update enrollments set status = 'dropped', is_dropped_by_staff = true where user_id = ${person}`,
  );
  expect(await seat()).toBe("active");
  expect(await value(`select is_dropped_by_staff from enrollments where user_id = ${person}`)).toBe(false);
});

it("process_lti_launch opens the link's target in the course, and remembers it", async () => {
  const { offering, launch } = await bound();
  const item = Number(
    await value(`select min(one.id) from content_items as one join course_offerings as run on run.course_id = one.course_id
      where run.id = ${offering}`),
  );
  const kept = async (link: object) => {
    await launch({ link });
    return value("select content_item_id from lti_links");
  };
  expect(await kept({ id: "l" })).toBeNull();
  expect(await kept({ id: "l", content_item_id: item })).toBe(item);
  expect(await kept({ id: "l" })).toBe(item);
  expect(await kept({ id: "l", content_item_id: 999_999_999 })).toBe(item);
});

it("process_lti_launch takes no column that a link from another course of the platform has", async () => {
  const { context, launch } = await bound();
  const other = Number(
    await value(`insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id)
      select one.platform_id, one.deployment_id, 'other', 'Other', run.id, run.university_id
      from lti_contexts as one, (select * from course_offerings order by id offset 1 limit 1) as run
      where one.id = ${context} returning id`),
  );
  const kept = async (context_id: string, id: string, line_item_url: string) => {
    await launch({
      context: { id: context_id, title: "Course", grade_scopes: [] },
      link: { id, line_item_url },
    });
    return value(`select link.line_item_url from lti_links as link join lti_contexts as one on one.id = link.context_id
      where one.context_id = '${context_id}' and link.resource_link_id = '${id}'`);
  };
  const [one, two] = ["https://lms.example.edu/lineitems/1", "https://lms.example.edu/lineitems/2"];
  expect(await kept("c", "l", one)).toBe(one);
  expect(await kept("c", "l", one)).toBe(one);
  expect(await kept("other", "l", one)).toBeNull();
  expect(await kept("other", "l", two)).toBe(two);
  expect(await kept("other", "l", one)).toBeNull();
  expect(other).not.toBe(context);
  await rows(`delete from lti_contexts where id = ${context}`);
  expect(await kept("other", "l", one)).toBe(one);
});

it("a seat that two courses of LMSs give is taken once both have taken it", async () => {
  const { platform, context, context_row, offering, launch } = await bound();
  await launch();
  const other = Number(
    await value(`insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id)
      select platform_id, deployment_id, 'd', 'Other section', course_offering_id, university_id
      from lti_contexts where id = ${context} returning id`),
  );
  const other_row = `(select one from lti_contexts as one where one.id = ${other})`;
  const person = await value(`select user_id from lti_people where platform_id = ${platform}`);
  expect(await value(`select has_lti_role_in_offering(${other_row}, ${person}, 'student')`)).toBe(false);
  await launch({ context: { id: "d", title: "Other section", grade_scopes: [] } });
  expect(await value(`select has_lti_role_in_offering(${other_row}, ${person}, 'student')`)).toBe(true);
  const take = (row: string) =>
    rows(`select set_lti_role_in_offering(${row}, ${person}, null, 'roster', ${request})`);
  const status = () =>
    value(`select status from enrollments where user_id = ${person} and course_offering_id = ${offering}`);
  await take(context_row);
  expect(await status()).toBe("active");
  await take(other_row);
  expect(await status()).toBe("dropped");
});

it("find_or_create_lti_person_account finds people by trusted claims, and asks if another account may match", async () => {
  const { platform } = await bound();
  const person = Number(
    await value(
      `insert into users (email, full_name, email_verified_at) values ('ada@own.example', 'Ada', now()) returning id`,
    ),
  );
  const find = async (subject: string, more: object = {}) =>
    (
      await rows(
        `select person, refusal from find_or_create_lti_person_account(${platform}, ${told({ subject, ...more })}, ${request})`,
      )
    )[0];
  const email = "ada@own.example";
  // A person without a university: their account is not revealed.
  expect((await find("a", { email }))?.["person"]).not.toBe(person);
  await rows(
    `insert into university_domains (university_id, domain) select university_id, 'own.example' from lti_platforms where id = ${platform}`,
  );
  expect(await find("b", { email })).toEqual({ person: null, refusal: "sign_in" });
  await rows(`update lti_platforms set trusts_email = true where id = ${platform}`);
  expect(await find("b", { email })).toEqual({ person, refusal: null });
  expect(await find("c", { email })).toEqual({ person: null, refusal: "sign_in" });
  await rows(`update users set is_active = false where id = ${person}`);
  expect(await find("b", { email })).toEqual({ person: null, refusal: "inactive" });
});

it("find_or_create_lti_person_account asks while an offer to the address is open, and not after it expires", async () => {
  const { platform } = await bound();
  await rows(`update lti_platforms set trusts_email = true where id = ${platform}`);
  await rows("insert into university_domains (university_id, domain) values (1, 'example.edu')");
  await rows(`insert into invitations (university_id, email, role, invited_by_user_id, expires_at, created_at)
    values (1, 'ada@example.edu', 'student', 2, '2026-03-10T12:00:01Z', '2026-03-01')`);
  const find = () =>
    rows(
      `select person, refusal from find_or_create_lti_person_account(${platform}, ${told({ email: "ada@example.edu" })}, ${request})`,
    );
  expect(await find()).toEqual([{ person: null, refusal: "sign_in" }]);
  await rows(`update invitations set expires_at = '${moment}'`);
  expect(await find()).toEqual([{ person: 1, refusal: null }]);
});

it("create_account_for_lti_person, link_lti_person_to_account, createLaunchedAccountQuery and link_lti_person_after_sign_in choose the account", async () => {
  const { platform, platform_row } = await bound();
  const known = Number(
    await value(`insert into lti_people (platform_id, subject) values (${platform}, 'x') returning id`),
  );
  const made = await value(
    `select create_account_for_lti_person(${platform_row}, ${known}, ${told({})}, ${request})`,
  );
  expect(await value(`select full_name from users where id = ${made}`)).toBe(`Learner ${made}`);
  await rows(`select link_lti_person_to_account(${known}, ${made}, 'sign_in', ${request})`);
  expect(await rows("select user_id, linked_by from lti_people")).toEqual([
    { user_id: made, linked_by: "sign_in" },
  ]);
  const make = () => rows(createAndLinkLtiAccountQuery(platform, { subject: "x" }, facts));
  expect(await make()).toEqual([]);
  await rows("update lti_people set user_id = null, linked_by = null");
  expect(await make()).toEqual([{ person: await value("select user_id from lti_people") }]);
  const link = (subject: string, person: unknown) =>
    value(`select link_lti_person_after_sign_in(${platform}, '${subject}', ${person}, ${request})`);
  expect(await link("x", made)).toBe("taken");
  expect(await link("y", made)).toBeNull();
  expect(await value(`select link_lti_person_after_sign_in(0, 'y', ${made}, ${request})`)).toBe("gone");
});

it("unlink_lti_person_revoking_access revokes grants of a wrong link, and the account's tokens", async () => {
  const { platform, launch } = await bound();
  await launch();
  const [known] = await rows("select id, user_id from lti_people");
  const unlink = () =>
    value(`select unlink_lti_person_revoking_access(${platform}, ${known?.["id"]}, 1, ${request})`);
  expect(await unlink()).toBe(known?.["user_id"]);
  expect(await value(`select status from enrollments where user_id = ${known?.["user_id"]}`)).toBe("dropped");
  expect(await value(`select token_version from users where id = ${known?.["user_id"]}`)).toBe(1);
  expect(await unlink()).toBeNull();
});

it("update_user_search_text updates an account's search text, with an address or without", async () => {
  await rows(
    "insert into users (email, full_name) values (null, 'Édith Piaf'), ('edith@example.edu', 'Edith')",
  );
  expect(await rows("select search_text from users where full_name like '_dith%' order by id")).toEqual([
    { search_text: expect.stringContaining("edith piaf") },
    { search_text: expect.stringContaining("edith edith example edu") },
  ]);
});
