import { expect, it } from "vitest";
import { queueApiKeyEndWarnings } from "../../../../lib/identity/api-keys/ending-keys.ts";
import { checkApiKeys } from "../../../../scripts/ops/doctor/api-keys.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

it("administrators are notified once of a key without a valid creator or that expires within a month, and again after an adoption", async () => {
  const mailbox = mailboxOf(world);
  const university = await make.university();
  const [ada, grace] = [
    await make.holder("university_admin", university.id),
    await make.holder("university_admin", university.id),
  ];
  await make.holder("university_admin", (await make.university()).id);
  const days = (count: number) => new Date(world.deps.now().getTime() + count * 86_400_000).toISOString();
  const path = `/universities/${university.id}/api-keys`;
  const key = async (name: string, expires_at: string) =>
    (await world.as(ada).post(path, { name, scopes: ["people:read"], expires_at })).body;
  const registrar = await key("Registrar https://bad.example", days(365));
  await key("Library", days(20));
  await key("Archive", days(365));
  await world.as(grace).delete(`${path}/${(await key("Revoked", days(10))).id}`);
  const told = async () => {
    mailbox.mails.length = 0;
    await Promise.all([queueApiKeyEndWarnings(world.deps), queueApiKeyEndWarnings(world.deps)]);
    await mailbox.send();
    return Object.fromEntries(mailbox.mails.map(({ to, text }) => [to, text]));
  };
  const expires = await told();
  expect(Object.keys(expires).sort()).toEqual([ada.email, grace.email].sort());
  expect(expires[grace.email]).toContain(`- Library (`);
  expect(expires[grace.email]).toContain(`it expires on ${days(20).slice(0, 10)}`);
  expect(expires[grace.email]).not.toMatch(/Registrar|Archive|Revoked/);
  expect(await told()).toEqual({});

  await world.deps.db.execute(`delete from user_university_roles where user_id = ${ada.id}`);
  const orphaned = await told();
  expect(Object.keys(orphaned)).toEqual([grace.email]);
  expect(orphaned[grace.email]).toMatch(
    /- Registrar https bad example \(.*no longer administers the university/,
  );
  expect(orphaned[grace.email]).not.toContain("://");
  expect(await told()).toEqual({});

  // The doctor uses the database's clock.
  await world.deps.db.execute(
    `update api_keys set expires_at = now() + interval '20 days' where name in ('Library', 'Revoked')`,
  );
  await world.deps.db.execute(
    `update api_keys set expires_at = now() + interval '1 year' where id = ${registrar.id}`,
  );
  const { state, what } = await checkApiKeys(world.deps.db);
  expect(state).toBe("advice");
  expect(what).toContain(
    `Registrar https://bad.example (${registrar.id}), its creator no longer administers the university`,
  );
  expect(what).toMatch(/Library \(\d+\), /);
  expect(what).not.toContain("Revoked");
  await world.deps.db.execute(`update api_keys set expires_at = '${days(365)}' where id = ${registrar.id}`);

  // The adopter is notified again if they leave too. Keys settled before the mail was sent are left out.
  await world.as(grace).post(`${path}/${registrar.id}/adopt`);
  expect(await told()).toEqual({});
  await world.deps.db.execute(`update api_keys set expires_at = '${days(5)}' where id = ${registrar.id}`);
  await queueApiKeyEndWarnings(world.deps);
  await world.as(grace).delete(`${path}/${registrar.id}`);
  expect((await told())[grace.email] ?? "").not.toContain("Registrar");
});
