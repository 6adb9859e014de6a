import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import type { RosterMember } from "../../../../lib/integrations/lti/roster-pages.ts";
import {
  requestRosterSyncQuery,
  rosterRequestRefusalReasonSql,
} from "../../../../lib/integrations/lti/rosters.ts";
import {
  insertNightlyRostersQuery,
  leaseRosterQuery,
  peopleEnrolledByLtiContextQuery,
  storeRosterResultQuery,
  unchangedRosterMembersQuery,
} from "../../../../lib/integrations/lti/sync-rosters.ts";
import type { LtiRosterRequest } from "../../../../schema/api/integrations/lti-rosters.ts";
import type { RosterCounts } from "../../../../schema/db/integrations/lti-rosters.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { column, rows, value } = openSession();
const noon = "2026-03-10T12:00:00Z";
const request = `'{"at": "${noon}"}'`;

beforeEach(async () => {
  await rows(`
    insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url)
    values (1, 'LMS', 'https://lms.example.edu', 'c', 'https://lms.example.edu/a', 'https://lms.example.edu/t', 'https://lms.example.edu/k');
    insert into lti_deployments (platform_id, deployment_id) select id, '1' from lti_platforms;
    insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id, memberships_url)
    select platform_id, id, 'one', 'One', 2, 1, 'https://lms.example.edu/m' from lti_deployments`);
});

const context = () => value("select id from lti_contexts") as Promise<number>;
const lease = async (at = noon) => {
  await rows(insertNightlyRostersQuery(at));
  return rows(leaseRosterQuery(at));
};
const ask = (mode: LtiRosterRequest["mode"]) =>
  value(`with own as (select id, memberships_url from lti_contexts),
    asked as (${textOf(requestRosterSyncQuery(mode, 1, "2026-03-10T12:00:00Z"))}) select ${textOf(rosterRequestRefusalReasonSql)} from own`);

it("leaseRosterQuery leases each due roster once, and schedules it for the night", async () => {
  expect(await lease()).toEqual([]);
  const night = await value("select due_at::text from lti_rosters");
  expect(String(night)).toMatch(/^2026-03-11 0[1-4]:/);
  expect(await lease("2026-03-11T06:00:00Z")).toMatchObject([{ mode: "nightly", tries: 1 }]);
  expect(await lease("2026-03-11T06:01:00Z")).toEqual([]);
  expect(await lease("2026-03-11T06:20:00Z")).toMatchObject([{ tries: 2 }]);
});

it("insertNightlyRostersQuery schedules a course that was bound after the others, and keeps theirs", async () => {
  await rows(insertNightlyRostersQuery(noon));
  await rows("update lti_rosters set due_at = '2026-04-01Z'");
  await rows(`insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id, memberships_url)
    select platform_id, id, 'two', 'Two', 3, 1, 'https://lms.example.edu/m' from lti_deployments`);
  await rows(insertNightlyRostersQuery(noon));
  expect(
    await rows(`select one.context_id as course, roster.due_at < '2026-03-12Z' as is_due_tonight
      from lti_rosters as roster join lti_contexts as one on one.id = roster.context_id order by 1`),
  ).toEqual([
    { course: "one", is_due_tonight: false },
    { course: "two", is_due_tonight: true },
  ]);
});

it("leaseRosterQuery leaves the rosters of an inactive university until it is active", async () => {
  await ask("WHOLE");
  await rows("update universities set is_active = false where id = 1");
  expect(await lease()).toEqual([]);
  await rows("update universities set is_active = true where id = 1");
  expect(await lease()).toMatchObject([{ mode: "whole" }]);
});

it("requestRosterSyncQuery makes it due immediately, and confirms only waiting ones", async () => {
  expect(await ask("CONFIRMED")).toBe("not waiting");
  expect(await ask("DRY")).toBeNull();
  expect(await lease()).toMatchObject([{ mode: "dry" }]);
  expect(await column("select asked_by_user_id from lti_rosters")).toEqual([1]);
  await rows("update lti_contexts set memberships_url = null");
  expect(await ask("WHOLE")).toBe("none");
});

it("storeRosterResultQuery keeps a roster due that was requested during its read", async () => {
  await ask("DRY");
  const [{ context_id, tries } = {}] = await lease();
  const end = (nth: unknown, state: "dry" | "taken") =>
    rows(
      storeRosterResultQuery(
        Number(context_id),
        { tries: Number(nth), state, counts: { enrolled: 1 } as RosterCounts },
        sql`'2026-03-11'::timestamptz`,
        noon,
      ),
    );
  await ask("WHOLE");
  await end(tries, "dry");
  expect(await rows("select state, mode, counts from lti_rosters")).toEqual([
    { state: "asked", mode: "whole", counts: { enrolled: 1 } },
  ]);
  const [again] = await lease();
  await end(again?.["tries"], "taken");
  expect(await rows("select state, mode, tries from lti_rosters")).toEqual([
    { state: "taken", mode: "nightly", tries: 0 },
  ]);
  expect(await value("select count(*)::int from audit_events where action = 'lti_roster.taken'")).toBe(1);
});

it("import_lti_members grants and revokes by a roster, and writes nothing in a dry run", async () => {
  const id = await context();
  const take = (dry: boolean) =>
    rows(
      `select outcome from import_lti_members(${id}, '[{"subject": "a", "role": "student"}, {"subject": "b", "role": "ta"}]', ${dry}, ${request})`,
    );
  const given = () => rows(`select subjects from (${textOf(peopleEnrolledByLtiContextQuery(id))}) as one`);
  expect(await take(true)).toEqual([{ outcome: "enrolled" }, { outcome: "staff" }]);
  expect(await given()).toEqual([]);
  expect(await take(false)).toEqual([{ outcome: "enrolled" }, { outcome: "staff" }]);
  expect(await take(false)).toEqual([{ outcome: "unchanged" }, { outcome: "unchanged" }]);
  const settled = (members: Partial<RosterMember>[]) =>
    column(`${textOf(unchangedRosterMembersQuery(id, members))} order by 1`);
  const [a, b] = [
    { subject: "a", role: "student" },
    { subject: "b", role: "ta" },
  ] as const;
  expect(await settled([a, b, { subject: "c", role: "student" }])).toEqual(["a", "b"]);
  expect(
    await settled([
      { ...a, name: "Ada" },
      { ...b, role: "instructor" },
    ]),
  ).toEqual([]);
  expect(await given()).toEqual([{ subjects: ["a"] }, { subjects: ["b"] }]);
  const staff = await value("select id from offering_staff");
  const remove = (removes: boolean) =>
    value(
      `select (remove_or_restore_lti_staff(2, ${staff}, ${removes}, 1, ${request})).removed_at is not null`,
    );
  expect(await remove(false)).toBe(false);
  expect(await remove(true)).toBe(true);
  expect(await given()).toEqual([{ subjects: ["a"] }]);
  expect(await take(false)).toEqual([{ outcome: "unchanged" }, { outcome: "kept_dropped" }]);
  expect(await remove(true)).toBe(true);
  expect(await remove(false)).toBe(false);
  expect(await take(false)).toEqual([{ outcome: "unchanged" }, { outcome: "unchanged" }]);
  expect(
    await column("select action from audit_events where action like 'offering_staff.%' order by id"),
  ).toEqual([...["offering_staff.named", "offering_staff.removed", "offering_staff.readmitted"]]);
  await rows(`select set_lti_role_in_offering(bound, person, null, 'roster', ${request})
    from lti_contexts as bound, (${textOf(peopleEnrolledByLtiContextQuery(id))}) as given where bound.id = ${id}`);
  expect(await given()).toEqual([]);
});
