import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;
let clients: pg.Client[];

beforeAll(async () => {
  database = await cloneDatabase();
  clients = Array.from({ length: 6 }, () => new pg.Client(database.url));
  await Promise.all(clients.map((client) => client.connect()));
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.drop();
});

it("sign-ins to accounts with expired windows do not block each other, and leave no rows", async () => {
  const attempt = (account: number, moment: string) =>
    `select count_sign_in_attempt_returning_lockout('account ${account}', 2, interval '10 minutes', '2026-03-10 ${moment}Z')`;
  for (let round = 0; round < 40; round += 1) {
    for (let account = 0; account < 12; account += 1) await clients[0]?.query(attempt(account, "12:00"));
    // Each in a long transaction that prunes windows that others are about to count.
    await Promise.all(
      clients.map(async (client, index) => {
        await client.query("begin");
        await client.query(attempt((index + round) % 6, "12:30"));
        await client.query("commit");
      }),
    );
    const left = await database.run("select from login_failures where until <= '2026-03-10 12:30Z'");
    expect(left).toEqual([]);
    await database.run("delete from login_failures");
  }
});

it("of concurrent exchanges of a code one succeeds, also before another's commit", async () => {
  for (let code = 0; code < 20; code += 1) {
    const found = await Promise.all(
      clients.map(async (client) => {
        await client.query("begin");
        const { rows } = await client.query(
          `select claim_single_use_key_for_hour('code ${code}', '2026-03-10 12:00Z') as is_first`,
        );
        await client.query("commit");
        return rows[0].is_first;
      }),
    );
    expect(found.filter(Boolean)).toEqual([true]);
  }
});
