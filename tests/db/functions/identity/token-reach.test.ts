import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { openSession } from "../session.ts";
import { openConversations } from "../tutor/conversations.ts";

const session = openSession();
const { rows, value } = session;
const { open } = openConversations(session);

const only = (person: number) => value(sql`select sole_sign_in_university_of_account(${person}::int)`);

beforeEach(() =>
  rows(`
    insert into universities (name, short_code, country_id) select 'Other', 'OT', country_id from universities limit 1;
    insert into user_identities (user_id, provider, subject) values (1, '1.campus', 'ada'), (1, '1.staff', 'ada')`),
);

it("the only university of an account is the one whose providers alone sign in to it, if it belongs nowhere else", async () => {
  expect(await only(1)).toBe(1);
  await rows("insert into user_university_roles (user_id, university_id, role) values (1, 1, 'ta')");
  expect(await only(1)).toBe(1);
  expect(await only(2)).toBeNull();
});

it.each([
  ["a password", "update users set password_hash = 'set' where id = 1"],
  [
    "a provider of the platform",
    "insert into user_identities (user_id, provider, subject) values (1, 'google', 'a')",
  ],
  [
    "another university's provider",
    "insert into user_identities (user_id, provider, subject) values (1, '2.id', 'a')",
  ],
  [
    "a role elsewhere",
    "insert into user_university_roles (user_id, university_id, role) select 1, id, 'student' from universities where id <> 1",
  ],
  [
    "the platform's administration",
    "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'platform_admin')",
  ],
])("there is no only university beside %s", async (_, given) => {
  await rows(given);
  expect(await only(1)).toBeNull();
});

it("open_turn opens turns that the token reaches, at a university that takes it", async () => {
  expect(await open({ reach: 2 })).toMatchObject({ kind: "refused", why: "out of reach" });
  await rows("update universities set requires_own_provider = true where id = 1");
  expect(await open()).toMatchObject({ kind: "refused", why: "own provider" });
  expect(await value("select count(*)::int from chat_messages")).toBe(0);
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (2, 1, 'platform_admin')",
  );
  expect(await open({ session: 2 })).toMatchObject({ kind: "open" });
  expect(await open({ reach: 1 })).toMatchObject({ kind: "open" });
});

it("university_members_before_update stores a suspension's start: is_university_token_revoked and open_turn then reject that university's sign-ins permanently", async () => {
  const active = (is_active: boolean) =>
    rows(`update university_members set is_active = ${is_active} where university_id = 1 and user_id = 1`);
  await rows("insert into user_university_roles (user_id, university_id, role) values (1, 1, 'student')");
  const began = 1_700_000_000;
  const ended = (at: number | null, university = 1) =>
    value(`select is_university_token_revoked(${university}, 1, ${at})`);
  expect(await ended(null)).toBe(false);
  await active(false);
  await rows(
    `update university_members set tokens_ended_at = to_timestamp(${began} + 0.5) where user_id = 1`,
  );
  expect([await ended(began + 9), await ended(began, 2)]).toEqual([true, false]);
  expect(await open({ reach: 1, signIn: began + 9 })).toMatchObject({ why: "ended token" });
  expect(await open()).toMatchObject({ kind: "refused", why: "inactive person" });
  await active(true);
  expect([await ended(null), await ended(began), await ended(began + 1)]).toEqual([true, true, false]);
  expect(await open({ reach: 1, signIn: began })).toMatchObject({ why: "ended token" });
  expect(await open({ reach: 1, signIn: began + 1 })).toMatchObject({ kind: "open" });
});

it("lock_and_check_required_provider_exists keeps a university that asks for its own provider with one", async () => {
  expect(await value("select lock_and_check_required_provider_exists(1, asks => true)")).toBe(false);
  const added = (name: string) =>
    value(`insert into identity_providers (university_id, name, label, issuer, client_id, secret_ciphertext)
      values (1, '${name}', 'Campus', 'https://id.example.edu', 'c', 's') returning id`);
  const first = await added("first");
  expect(await value("select lock_and_check_required_provider_exists(1, asks => true)")).toBe(true);
  expect(await value(`select lock_and_check_required_provider_exists(1, ${first})`)).toBe(true);
  await rows("update universities set requires_own_provider = true where id = 1");
  expect(await value(`select lock_and_check_required_provider_exists(1, ${first})`)).toBe(false);
  await added("second");
  expect(await value(`select lock_and_check_required_provider_exists(1, ${first})`)).toBe(true);
});
