import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { column, rows, value, addUniversity } = openSession();

const of = (question: string) => value(`select ${question} from users where id = 2`);
const change = (what: string) => rows(`update users set ${what} where id = 2`);

it("was_account_used and is_email_verified_or_account_unused distinguish typed, provisioned and verified addresses", async () => {
  const both = async () => [
    await of("was_account_used(users)"),
    await of("is_email_verified_or_account_unused(users)"),
  ];
  expect(await both()).toEqual([false, true]);
  await change("password_hash = 'typed'");
  expect(await both()).toEqual([true, false]);
  await change("email_verified_at = now()");
  expect(await both()).toEqual([true, true]);
  await change("email_verified_at = null, password_hash = null");
  await rows("insert into user_identities (user_id, provider, subject) values (2, 'campus', 's')");
  expect(await both()).toEqual([true, false]);
});

it("is_person_of_university knows members, provisioned people until their first sign-in, and verified addresses in its domains", async () => {
  const isOwn = () => of("is_person_of_university(1, users)");
  expect(await isOwn()).toBe(false);
  await change("made_by_university_id = 1");
  expect(await isOwn()).toBe(true);
  await change("password_hash = 'typed'");
  expect(await isOwn()).toBe(false);
  await rows("insert into university_domains (university_id, domain) values (1, 'example.edu')");
  expect(await isOwn()).toBe(false);
  await change("email_verified_at = now()");
  expect(await isOwn()).toBe(true);
  await rows("delete from university_domains");
  expect(await isOwn()).toBe(false);
  await rows("insert into user_university_roles (user_id, university_id, role) values (2, 1, 'student')");
  expect(await isOwn()).toBe(true);
  await rows("delete from user_university_roles");
  await rows("select enroll(1, 2, now())");
  expect(await isOwn()).toBe(true);
});

it("is_person_of_university ignores verified addresses in another university's domains", async () => {
  const other = await addUniversity();
  await rows(`insert into university_domains (university_id, domain) values (${other}, 'example.edu')`);
  await change("email_verified_at = now()");
  expect(
    await column(
      "select is_person_of_university(there.id, users) from universities as there, users where users.id = 2 order by there.id",
    ),
  ).toEqual([false, true]);
});
