import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type Row, type TestDatabase } from "../../support/database.ts";
import { conversationsOf, twoSessions } from "../functions/tutor/conversations.ts";

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await database.run(twoSessions);
  client = new pg.Client(database.url);
  await client.connect();
  await client.query("set time zone 'UTC'");
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The number of statements inside a statement's functions, including checks of foreign keys. */
async function innerStatementsOf(run: () => Promise<unknown>): Promise<number> {
  let seen = 0;
  const count = () => {
    seen += 1;
  };
  client.on("notice", count);
  await run();
  client.off("notice", count);
  return seen - 1;
}

it("a message with a private answer takes 29 statements inside the functions at most", async () => {
  const rows = async (statement: string): Promise<Row[]> => (await client.query(statement)).rows;
  const value = async (statement: string) => Object.values((await rows(statement))[0] ?? {})[0];
  const { open, claim, append, finish } = conversationsOf({ rows, value });
  // Reports each executed statement to the client, also those in functions.
  await client.query("load 'auto_explain'");
  await client.query("set auto_explain.log_min_duration = 0");
  await client.query("set auto_explain.log_nested_statements = on");
  await client.query("set client_min_messages = log");

  const taken = { open: 0, claim: 0, append: 0, finish: 0 };
  // The first calls plan for later ones; every tenth that ends deletes ended generations.
  for (let time = 0; time < 8; time += 1) {
    taken.open = await innerStatementsOf(() => open({ content: "Why?", message: null }));
    let claimed: Row | undefined;
    taken.claim = await innerStatementsOf(async () => {
      claimed = await claim({ shared: false, surroundings: true });
    });
    const generation = Number(claimed?.["generation"]);
    const call = Number(claimed?.["call"]);
    taken.append = await innerStatementsOf(() => append(generation, ["Because ", "of that."]));
    taken.finish = await innerStatementsOf(() => finish(generation, ["Because ", "of that."], { call }));
  }
  // Eight of them are checks of foreign keys, and one is for a late event.
  expect(taken).toEqual({ open: 12, claim: 8, append: 2, finish: 7 });
});
