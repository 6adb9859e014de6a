import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { createNotificationsAndQueueMails } from "../../../../lib/courses/notifications/process-notifications.ts";
import { queueApiKeyEndWarnings } from "../../../../lib/identity/api-keys/ending-keys.ts";
import { openLab } from "../../../support/lab.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);

beforeEach(() => world.setNow("2026-03-10T18:00:00.000Z"));

const lastTo = (address: string): string =>
  mailbox.mails.findLast(({ to }) => to === address)?.text ?? "no mail";

it("a mail about a due date names it in the person's time zone", async () => {
  const { lab, offering, learner } = await openLab(world, { due_at: "2026-03-11T16:30:00.000Z" });
  await world.deps.db.execute(
    sql`update users set time_zone = 'Asia/Seoul', email_verified_at = now() where id = ${learner.id}`,
  );
  await world.as(learner).put("/users/me/notification-preferences", { due_soon: { mail: "immediate" } });
  await world.deps.db.execute(sql`select notify(array[${learner.id}::int], 'due_soon', 'due:1', ${"2026-03-10T18:00:00Z"},
    offering => ${offering.id}::int, item => ${lab.id}::int, due => ${"2026-03-11T16:30:00Z"}::timestamptz)`);
  await createNotificationsAndQueueMails(world.deps, new AbortController().signal);
  await mailbox.send();
  expect(lastTo(learner.email)).toContain("Due on 2026-03-12 at 01:30 GMT+9");
});

it("a mail about an account names its moments in the account's time zone", async () => {
  const [email, wanted] = [`${make.unique("old")}@example.edu`, `${make.unique("new")}@example.edu`];
  const account = { email, password: "correct horse", full_name: "Ada", time_zone: "America/New_York" };
  const { access_token } = (await world.as().post("/auth/register", account)).body;
  await world.deps.db.execute(
    sql`update users set created_at = '2026-01-01T03:00:00Z' where email = ${email}`,
  );
  const bearer = { headers: { authorization: `Bearer ${access_token}` } };
  const change = { email: wanted, current_password: account.password };
  expect((await world.as().post("/users/me/email", change, bearer)).status).toBe(202);
  await mailbox.send();
  expect(lastTo(wanted)).toContain("was created on 31 December 2025, 22:00 EST");
  expect(lastTo(wanted)).toContain("On 10 March 2026, 14:00 EDT");
});

it("a mail about a key that ends names the day in the administrator's time zone", async () => {
  const university = await make.university();
  const admin = await make.holder("university_admin", university.id);
  await world.deps.db.execute(sql`update users set time_zone = 'Pacific/Kiritimati' where id = ${admin.id}`);
  await world.as(admin).post(`/universities/${university.id}/api-keys`, {
    ...{ name: "Library", scopes: ["people:read"], expires_at: "2026-03-20T18:00:00.000Z" },
  });
  await queueApiKeyEndWarnings(world.deps);
  await mailbox.send();
  expect(lastTo(admin.email)).toContain("it expires on 2026-03-21");
});
