import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { atOnce as meet, untilOneWaits } from "../../support/locks.ts";

/*
 * Ada's account, or her university's part of it, is erased while she arrives from its LMS, provider or
 * directory.
 */

let database: TestDatabase;
let one: pg.Client;
let other: pg.Client;

const at = "2026-03-10T12:00:00Z";
const request = `'{"at": "${at}"}'::jsonb`;
const address = "ada@example.edu";

beforeEach(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await database.run(`
    update users set email_verified_at = now();
    insert into enrollments (user_id, course_offering_id) values (1, 1);
    insert into university_domains (university_id, domain) values (1, 'example.edu');
    insert into identity_providers (university_id, name, label, issuer, client_id, secret_ciphertext)
    values (1, 'campus', 'Campus', 'https://id.example.edu', 'c', 's');
    insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url, trusts_email)
    values (1, 'LMS', 'https://lms.example.edu', 'c', 'https://lms.example.edu/a', 'https://lms.example.edu/t',
      'https://lms.example.edu/k', true);
    insert into lti_deployments (platform_id, deployment_id, admitted_at) values (1, '1', now());
    insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id)
    select 1, id, 'c', 'Course', 2, 1 from lti_deployments`);
  [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
});

afterEach(async () => {
  await Promise.all([one.end(), other.end()]);
  await database.drop();
});

const value = async (statement: string) => Object.values((await database.run(statement))[0] ?? {})[0];

let nonce = 0;
const told = JSON.stringify({
  ...{ deployment_id: "1", subject: "s", role: "student", email: address, name: "Ada" },
  ...{ context: { id: "c", title: "Course", grade_scopes: [] }, link: { id: "l" } },
});
const person = JSON.stringify({
  ...{ user_name: address, email: address, full_name: "Ada", is_active: true, attributes: {} },
});
const arrivals = {
  "a launch by LTI": () =>
    `select process_lti_launch(1, '${told}', 'nonce ${++nonce}', 'code ${nonce}', null, ${request}) as outcome`,
  "an assertion of SAML": () =>
    `select coalesce(refusal, 'accepted') as outcome
     from sign_in_by_saml_assertion(1, 'hash ${++nonce}', 's', '${address}', 'Ada', null, '{}', ${request})`,
  "a sign-in by the university's provider": () =>
    `select coalesce(refusal, 'accepted') as outcome
     from sign_in_by_identity_provider(1, 's', '${address}', 'Ada', ${request})`,
  "a sign-in by a provider of everybody": () =>
    `select case when count(*) = 1 then 'accepted' end as outcome from link_identity_or_create_account('google', 's', '${address}', 'Ada', ${request})`,
  "its directory": () =>
    `select case outcome when 'written' then 'accepted' when 'missing' then 'accepted' else outcome end as outcome
     from create_or_replace_scim_user(1, (select id from scim_users), '${person}'::jsonb, null, 2, ${request})`,
};
const erase = `select erase_account(1, (select token_version from users where id = 1), false, ${request})`;

/** The locks that an erasure takes first. */
const held = `
  select from scim_users where user_id = 1 for update;
  select lock_offerings_with_course_seats(array(select course_offering_id from enrollments where user_id = 1));
  select from lti_people where user_id = 1 order by id for update;
  select from users where id = 1 for update`;

/** Rows that identify Ada, or let anyone sign in as her, on her erased account. */
const left = () =>
  value(`
    select coalesce(string_agg(found, ', '), '') from (
      select 'identity' as found from user_identities where user_id = 1
      union all select 'LTI person' from lti_people where user_id = 1
      union all select 'launch code' from lti_launch_codes where user_id = 1
      union all select 'record' from scim_users where user_id = 1
      union all select 'role' from user_university_roles where user_id = 1
      union all select 'member' from university_members where user_id = 1
      union all select 'sourced' from sourced_people where user_id = 1
    ) as one`);

async function erasedBeside(arrival: string): Promise<unknown> {
  await one.query("begin");
  await one.query(held);
  const coming = other.query(arrival);
  await untilOneWaits(database);
  await one.query(erase);
  await one.query("commit");
  return (await coming).rows[0]?.outcome;
}

describe.each(Object.entries(arrivals))("%s beside the end of an account", (_, arrive) => {
  it.each(["has never come before", "has come before"])(
    "creates a new account for a person who %s",
    async (before) => {
      if (before === "has come before") await one.query(arrive());
      expect(await erasedBeside(arrive())).toBe("accepted");
      expect(await value("select erased_at is not null and email is null from users where id = 1")).toBe(
        true,
      );
      expect(await left()).toBe("");
      // Repeats, because the directory learns that its record is gone.
      await one.query(arrive());
      expect(await value(`select count(*)::int from users where email = '${address}' and id <> 1`)).toBe(1);
      expect(await left()).toBe("");
    },
  );

  it("leaves no rows of it, if it is first", async () => {
    await meet({ database, one, other }, arrive(), erase);
    expect(await value("select erased_at is not null from users where id = 1")).toBe(true);
    expect(await left()).toBe("");
  });
});

it("an erasure waits for a launch before it locks the person, whom the launch is about to lock", async () => {
  await one.query(arrivals["a launch by LTI"]());
  await one.query("begin");
  await one.query("select from lti_people for update");
  const erased = other.query(erase);
  await untilOneWaits(database);
  await one.query("select from users where id = 1 for key share");
  await one.query("commit");
  expect((await erased).rows).toEqual([{ erase_account: true }]);
});

describe("the erasure of a university's part of a person", () => {
  const step = `select process_next_university_erasure_step('${at}', 500, null)`;
  beforeEach(() =>
    database.run(`
      insert into data_requests (university_id, user_id, kind, state, received_on, made_by_user_id, made_at, decided_by_user_id, decided_at)
      values (1, 1, 'erase', 'approved', '2026-03-01', 2, now(), 3, now())`),
  );

  it.each(
    Object.entries(arrivals).flatMap(([way, arrive]) =>
      [true, false].map((first) => [way, first, arrive] as const),
    ),
  )(
    "beside %s, which comes first: %s, lets them in again as themselves, with nothing of before",
    async (_, first, arrive) => {
      await one.query(arrive());
      const number = () => value("select erased_user_id from data_requests");
      const both: [string, string] = first ? [arrive(), step] : [step, arrive()];
      await one.query("begin");
      await one.query(both[0]);
      const second = other.query(both[1]);
      const met = await Promise.race([
        second.then(() => "through"),
        untilOneWaits(database).then(() => "waited"),
      ]);
      await one.query("commit");
      await second;
      expect(["through", "waited"]).toContain(met);
      await one.query(step);
      await one.query(arrive());
      expect(await value("select is_active and email is not null from users where id = 1")).toBe(true);
      for (const table of ["user_identities", "lti_people", "scim_users", "user_university_roles"])
        expect(await value(`select count(*)::int from ${table} where user_id = ${await number()}`)).toBe(0);
    },
  );
});
