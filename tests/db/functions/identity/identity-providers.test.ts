import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

const request = `'{"at": "2026-03-10T12:00:00Z"}'::jsonb`;

async function trusted() {
  await rows(`insert into identity_providers (university_id, name, label, issuer, client_id, secret_ciphertext)
    values (1, 'campus', 'Campus', 'https://id.example.edu', 'c', 's')`);
  await rows("insert into university_domains (university_id, domain) values (1, 'example.edu')");
}

const signIn = (subject: string, address: string | null) =>
  rows(`select refusal, person, version from sign_in_by_identity_provider(
    (select id from identity_providers), '${subject}', ${address === null ? "null" : `'${address}'`}, 'Name', ${request})`);

const elsewhere = (person: number, role = "student") =>
  rows(`with other as (
    insert into universities (name, short_code, country_id) select 'Other', 'OT', country_id from universities limit 1
    returning id) insert into user_university_roles (user_id, university_id, role) select ${person}, id, '${role}' from other`);

it("sign_in_by_identity_provider makes people with addresses in a granted domain people of the university", async () => {
  await trusted();
  expect(await signIn("s", "ada@example.edu")).toMatchObject([{ refusal: null, person: 1 }]);
  expect(await rows("select role, university_id from user_university_roles where user_id = 1")).toEqual([
    { role: "student", university_id: 1 },
  ]);
  expect(await signIn("n", "new@example.edu")).toMatchObject([{ refusal: null, version: 0 }]);
  expect(await signIn("n", null)).toMatchObject([{ refusal: null, version: 0 }]);
  for (const address of ["ada@example.com", "ada@sub.example.edu", "ada@example.edu.evil.test", null])
    expect(await signIn("x", address)).toMatchObject([{ refusal: "domain" }]);
  expect(await value("select count(*)::int from users where email like '%evil%'")).toBe(0);
  await rows("update identity_providers set vouches = false");
  expect(await signIn("y", "cyd@example.edu")).toMatchObject([{ refusal: "domain" }]);
  await rows("update users set is_active = false where id = 1");
  expect(await signIn("s", null)).toMatchObject([{ refusal: "taken" }]);
});

it("sign_in_by_identity_provider rejects no one because of grants by others", async () => {
  await trusted();
  await rows("update users set password_hash = 'kept', email_verified_at = now() where id = 1");
  await elsewhere(1, "platform_admin");
  expect(await signIn("a", "ada@example.edu")).toMatchObject([{ refusal: null, version: 0 }]);
  expect(await value("select password_hash from users where id = 1")).toBe("kept");
});
