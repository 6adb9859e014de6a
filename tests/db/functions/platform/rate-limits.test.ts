import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { consumeInvitationBudgetSql } from "../../../../lib/platform/mail/mail-budgets.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

const at = "2026-03-10T12:59:59Z";
const take = (most: number, moment = at) =>
  value(`select consume_rate_limit_unless_reached('tries', ${most}, '${moment}')`);
it("consume_rate_limit_unless_reached counts up to the limit, and again in the next hour of the clock", async () => {
  expect([await take(2), await take(2), await take(2), await take(2)]).toEqual([true, true, false, false]);
  const next = "2026-03-10T13:00:00Z";
  expect([await take(2, next), await take(2, next), await take(2, next)]).toEqual([true, true, false]);
});

it("consume_rate_limit_unless_reached applies a raised limit immediately, and counts nothing for 0", async () => {
  for (let turn = 0; turn < 5; turn++) await take(2);
  expect([await take(4), await take(4), await take(4)]).toEqual([true, true, false]);
  expect([await take(0), await value("select used from rate_limits")]).toEqual([true, 4]);
});

it("consume_rate_limit_unless_reached removes expired entries", async () => {
  await rows(
    `insert into rate_limits select 'old ' || n, 1, '2026-03-10T11:00Z' from generate_series(1, 5) as n`,
  );
  await take(2);
  await take(2);
  expect(await rows("select name from rate_limits")).toEqual([{ name: "tries" }]);
});

it("claim_single_use_key_for_hour is true the first time, and delete_few_ended_rate_limits keeps entries for an hour", async () => {
  const once = (name: string) => value(`select claim_single_use_key_for_hour('${name}', '${at}')`);
  expect([await once("a code"), await once("a code"), await once("another")]).toEqual([true, false, true]);
  await rows("select delete_few_ended_rate_limits('2026-03-10T13:59:58Z')");
  expect(await once("a code")).toBe(false);
  await rows("select delete_few_ended_rate_limits('2026-03-10T13:59:59Z')");
  expect(await rows("select from rate_limits")).toEqual([]);
});

it("consume_rate_limit_or_raise raises an error beyond the limit, with the seconds until the next hour", async () => {
  const spend = (moment: string) => rows(`select consume_rate_limit_or_raise('tries', 1, '${moment}')`);
  await spend("2026-03-10T12:10:00Z");
  await rows("savepoint before");
  const refused = { code: "LIMIT", message: "limit reached: tries" };
  await expect(spend("2026-03-10T12:10:00.5Z")).rejects.toMatchObject({ ...refused, detail: "3000" });
  await rows("rollback to before");
  await expect(spend("2026-03-10T12:59:59.999Z")).rejects.toMatchObject({ ...refused, detail: "1" });
  await rows("rollback to before");
  await spend("2026-03-10T13:00:00Z");
});

const requestOf = (network: string | null) => `'${JSON.stringify({ at, network })}'::jsonb`;
const counted = () => rows("select name, used from rate_limits order by name");

it("reserve_account_mail_time_of_network counts by network, and moves mail above the limit into later hours", async () => {
  const due = async (network: string | null, most = 2) =>
    (await value(`select reserve_account_mail_time_of_network(${most}, ${requestOf(network)})`)) as Date;
  const hoursOf = async (network: string | null, count: number, most?: number) => {
    const found: string[] = [];
    for (let turn = 0; turn < count; turn += 1)
      found.push((await due(network, most)).toISOString().slice(11, 16));
    return found;
  };
  const [start] = await hoursOf(null, 1);
  const [first, , second, , third] = await hoursOf("2001:db8:0:0::/64", 5);
  expect([start, first]).toEqual([start, start]);
  expect([second, third].map((one) => one?.slice(3))).toEqual(["00", "00"]);
  expect(Number(third?.slice(0, 2)) - Number(second?.slice(0, 2))).toBe(1);
  expect(new Set(await hoursOf("203.0.113.7", 2))).toEqual(new Set([start]));
  expect(new Set(await hoursOf("203.0.113.8", 9, 0))).toEqual(new Set([start]));
  expect(await counted()).toEqual([
    { name: "mails about accounts from 2001:db8:0:0::/64", used: 1 },
    { name: "mails about accounts from 203.0.113.7", used: 2 },
  ]);
});

it("consumeInvitationBudgetSql counts by person and by university", async () => {
  const budgets = { INVITATIONS_PER_HOUR: 2, UNIVERSITY_INVITATIONS_PER_HOUR: 3, ACCOUNT_MAILS_PER_HOUR: 0 };
  const spend = (person: number) =>
    rows(`select from ${textOf(consumeInvitationBudgetSql(budgets, person, sql`1`))} as spent`);
  for (const person of [7, 7, 8]) await spend(person);
  await rows("savepoint before");
  await expect(spend(7)).rejects.toMatchObject({ message: "limit reached: invitations by person 7" });
  await rows("rollback to before");
  await expect(spend(9)).rejects.toMatchObject({ message: "limit reached: invitations of university 1" });
  await rows("rollback to before");
  expect(await counted()).toEqual([
    { name: "invitations by person 7", used: 2 },
    { name: "invitations by person 8", used: 1 },
    { name: "invitations of university 1", used: 3 },
  ]);
});
