import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

const ahead = (offset: string) => rows(`set local service.clock_offset = '${offset}'`);
const planOf = async (expression: string) =>
  (await column(`explain (verbose, costs off) select ${expression}`)).join("\n");

it("clock_offset is zero unless a connection sets it, also after a reset", async () => {
  expect(await value("select clock_offset() = '0'::interval")).toBe(true);
  await ahead("");
  expect(await value("select clock_offset() = '0'::interval")).toBe(true);
  await ahead("-90s");
  expect(await value("select clock_offset() = '-90 seconds'::interval")).toBe(true);
});

it("service_now and service_clock are PostgreSQL's own moments, moved", async () => {
  await ahead("3600s");
  expect(await value("select service_now() = now() + interval '1 hour'")).toBe(true);
  const apart =
    "select service_clock() - clock_timestamp() between interval '59 minutes' and interval '1 hour'";
  expect(await value(apart)).toBe(true);
});

it("service_now and service_clock are put in place by the planner: no function is called for them", async () => {
  for (const clock of ["service_now()", "service_clock()"]) {
    const plan = await planOf(clock);
    expect(plan).toContain("current_setting");
    expect(plan).not.toMatch(/service_now|service_clock|clock_offset\(/);
  }
});

it("writes and report counts follow the clock", async () => {
  await ahead("86400s");
  const isTomorrow = (moment: string) => `${moment} = (now() + interval '1 day')::timestamptz(3)`;
  await rows("insert into users (email, full_name) values ('dan@example.edu', 'Dan')");
  expect(await value(`select ${isTomorrow("created_at")} from users where full_name = 'Dan'`)).toBe(true);
  await rows("select enroll(2, 1, service_now())");
  await rows("update enrollments set status = 'dropped'");
  expect(await value(`select ${isTomorrow("dropped_at")} from enrollments`)).toBe(true);
  expect(
    await value("select current_budget_month() = date_trunc('month', now() at time zone 'UTC' + '1 day')"),
  ).toBe(true);
});
