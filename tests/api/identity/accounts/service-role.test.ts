import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { closeAndGradeDueAttempts } from "../../../../lib/assessment/grade-closed-attempts.ts";
import { createNotificationsAndQueueMails } from "../../../../lib/courses/notifications/process-notifications.ts";
import { withScheduleDb } from "../../../../lib/deps.ts";
import { processImports } from "../../../../lib/integrations/imports/work.ts";
import {
  runCachePruningTasks,
  runDailyExpiryTasks,
  runFrequentUpkeep,
} from "../../../../lib/operations/upkeep/upkeep.ts";
import { eraseAccountOf } from "../../../support/erase.ts";
import { liveALife } from "../../../support/life.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld({ LOGIN_MAX_FAILURES: "10", AUDIT_MAX_AGE_DAYS: "30" }, { asService: true });
const make = makersOf(world);
const mailbox = mailboxOf(world);

const rowsOf = async (statement: string) => (await world.deps.db.execute(sql.raw(statement))).rows;

async function doTheSchedule(): Promise<void> {
  const deps = withScheduleDb(world.deps);
  const { signal } = new AbortController();
  await mailbox.send();
  await createNotificationsAndQueueMails(deps, signal);
  await closeAndGradeDueAttempts(deps, signal);
  await processImports(deps, signal);
  await runFrequentUpkeep(deps, signal);
  await runDailyExpiryTasks(deps, signal);
  await runCachePruningTasks(deps, signal);
  await world.deps.metrics.report();
}

describe("the service on an account of the database that owns nothing", () => {
  it("serves people from registration to erasure, and does all scheduled work", async () => {
    const life = await liveALife(world, "of someone on such a database");
    const university = life.university.id;
    const [leaving, staying] = [
      await make.holder("university_admin", university),
      await make.holder("university_admin", university),
    ];
    const platform = world.as(await make.holder("platform_admin", university));
    const entered = await world.as().post("/auth/login", { email: life.email, password: life.password });
    expect(entered.status).toBe(200);
    const headers = { authorization: `Bearer ${entered.body.refresh_token}` };
    expect((await world.as().post("/auth/refresh", undefined, { headers })).status).toBe(200);
    expect((await life.as("GET", "/admin/audit")).status).toBe(403);

    const granted = { user_id: life.id, role: "TA" };
    const roles = `/universities/${university}/roles`;
    expect((await world.as(leaving).post(roles, granted)).status).toBeLessThan(300);
    const files = {
      "people.csv": "sourced_id,email,full_name\r\nn-1,new.person@example.edu,New Person\r\n",
      "roles.csv": "sourced_id,role\r\nn-1,student\r\n",
      "enrollments.csv": `sourced_id,course_offering_id\r\nn-1,${life.offering.id}\r\n`,
    };
    const imported = await world
      .as(staying)
      .post(`/universities/${university}/imports`, { format: "CSV", files, dry_run: false });
    expect(imported.status).toBeLessThan(300);
    await doTheSchedule();
    const path = `/universities/${university}/imports/${imported.body.id}`;
    expect((await world.as(staying).get(path)).body).toMatchObject({ done: 3, refused: 0 });

    expect((await life.as("GET", "/users/me/export")).status).toBe(200);
    expect((await life.as("DELETE", "/users/me", { password: life.password })).status).toBe(204);
    expect(await eraseAccountOf(world, leaving)).toBe(204);
    await doTheSchedule();
    const log = (await platform.get("/admin/audit?limit=1000")).body as Record<string, unknown>[];
    const acts = log.map(({ action }) => action);
    for (const act of ["sign_in", "sign_in.failed", "access.refused", "role.granted", "account.exported"])
      expect(acts).toContain(act);
    expect(log.filter(({ action }) => action === "account.erased")).toHaveLength(2);
    expect(log.filter(({ actor_id }) => actor_id === life.id)).toEqual([]);
    expect(log.find(({ actor_id }) => actor_id === leaving.id)).toMatchObject({
      actor_former_email: leaving.email,
    });

    world.setNow("2026-05-10T12:00:00.000Z");
    await doTheSchedule();
    // The rows then say that those erasures have ended.
    const told = await rowsOf("select action from audit_events union all select 'person' from audit_people");
    expect(told).toEqual([{ action: "account.erasure_ended" }, { action: "account.erasure_ended" }]);
    expect(world.log.filter((line) => JSON.stringify(line).includes("permission denied"))).toEqual([]);
  });

  it.each([
    "update audit_events set actor_id = null",
    "delete from audit_events",
    "truncate audit_events",
    "insert into audit_people (user_id, full_name, email, erased_at) values (1, '', '', now())",
    "delete from audit_people",
    "delete from drizzle.__drizzle_migrations",
    "delete from drizzle.applied_versions",
    "create table things ()",
    "create temporary table things ()",
    "create schema things",
    "create function pg_temp.thing() returns int language sql return 1",
    "create or replace function refuse_change_of_audit_events() returns trigger language plpgsql as 'begin return new; end'",
    "drop table audit_events",
    "drop function refuse_change_of_audit_events cascade",
    "drop trigger refuse_change_of_audit_events on audit_events",
    "alter table audit_events disable trigger all",
    "alter table users add column thing int",
    "truncate users",
    "set session_replication_role = replica",
  ])("cannot do this: %s", async (statement) => {
    const refused = { message: expect.stringMatching(/^(permission denied|must be owner)/), code: "42501" };
    await expect(rowsOf(statement)).rejects.toMatchObject({ cause: refused });
  });
});
