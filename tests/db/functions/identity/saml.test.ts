import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

const request = (at = "12:00:00") => `'{"at": "2026-03-10T${at}Z"}'::jsonb`;
const seen = `'{"name_id_format": null, "attributes": []}'::jsonb`;
const provider = "(select id from identity_providers)";

async function trusted() {
  await rows(`insert into identity_providers (university_id, kind, name, label, issuer, client_id, secret_ciphertext)
    values (1, 'saml', 'campus', 'Campus', 'https://idp.example.edu', 'c', 's')`);
  await rows(`insert into saml_providers (identity_provider_id, sso_url, certificates, certificate, metadata_read_at,
      metadata_tried_at)
    select id, 'https://idp.example.edu/sso', '{}', 'c', '2026-03-10Z', '2026-03-10Z' from identity_providers`);
  await rows("insert into university_domains (university_id, domain) values (1, 'example.edu')");
}

const signIn = (assertion: string, subject: string, address: string | null, role: string | null = null) =>
  rows(`select refusal, person from sign_in_by_saml_assertion(${provider}, '${assertion}', '${subject}',
    ${address === null ? "null" : `'${address}'`}, 'Name', ${role === null ? "null" : `'${role}'`}, ${seen}, ${request()})`);

it("sign_in_by_saml_assertion takes each assertion once, gives a role once, and never an office", async () => {
  await trusted();
  expect(await signIn("a", "s", "ada@example.edu", "ta")).toEqual([{ refusal: null, person: 1 }]);
  expect(await signIn("a", "s", "ada@example.edu")).toMatchObject([{ refusal: "replayed", person: null }]);
  expect(await signIn("b", "s", null, "ta")).toEqual([{ refusal: null, person: 1 }]);
  expect(await signIn("c", "s", null, "university_admin")).toEqual([{ refusal: null, person: 1 }]);
  expect(await signIn("d", "x", "ada@example.com")).toMatchObject([{ refusal: "domain" }]);
  expect(await rows("select role from user_university_roles where user_id = 1 order by role")).toEqual([
    { role: "student" },
    { role: "ta" },
  ]);
  const granted = "action = 'role.granted' and details ? 'identity_provider_id'";
  expect(await value(`select count(*)::int from audit_events where ${granted}`)).toBe(1);
  expect(await value("select seen_attributes is not null from saml_providers")).toBe(true);
});

it("record_seen_saml_attributes writes changes, else once an hour", async () => {
  await trusted();
  const note = (what: string, at: string) =>
    rows(`select record_seen_saml_attributes(${provider}, '${what}'::jsonb, '2026-03-10T${at}Z')`);
  const seenAt = () => value("select to_char(seen_at at time zone 'UTC', 'HH24:MI') from saml_providers");
  await note('{"a": 1}', "12:00");
  await note('{"a": 1}', "12:59");
  expect(await seenAt()).toBe("12:00");
  await note('{"a": 2}', "12:59");
  expect(await seenAt()).toBe("12:59");
  await note('{"a": 2}', "14:00");
  expect(await seenAt()).toBe("14:00");
});

it("count_and_audit_saml_refusal counts a reason every ten seconds, and logs only signed content", async () => {
  await trusted();
  const note = (at: string, isSigned: boolean) =>
    rows(
      `select count_and_audit_saml_refusal(${provider}, 'audience', 'x', ${isSigned}, 's', ${seen}, ${request(at)})`,
    );
  await note("12:00:00", false);
  await note("12:00:05", false);
  await note("12:00:10", false);
  expect(await rows("select reason, times from saml_refusals")).toEqual([{ reason: "audience", times: 2 }]);
  expect(await value("select count(*)::int from audit_events where action = 'sign_in.failed'")).toBe(0);
  await signIn("a", "s", "ada@example.edu");
  await note("12:00:30", true);
  expect(await value("select details ->> 'reason' from audit_events where action = 'sign_in.failed'")).toBe(
    "audience",
  );
});
