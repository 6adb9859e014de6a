import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;
let one: pg.Client;
let other: pg.Client;

beforeAll(async () => {
  database = await cloneDatabase();
  await database.run("insert into users (email, full_name) values ('ada@example.edu', 'Ada')");
  [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
});

afterAll(async () => {
  await Promise.all([one.end(), other.end()]);
  await database.drop();
});

const seed = "select seed_prompt_version('tutor', 'Seeded', 'Anew', 5, 1000) as added";

const otherWaits = async () => {
  const pid = (other as unknown as { processID: number }).processID;
  await expect
    .poll(async () => {
      const [row] = await database.run(`select wait_event_type from pg_stat_activity where pid = ${pid}`);
      return row?.["wait_event_type"];
    })
    .toBe("Lock");
};

it("the service's own text takes the number after a concurrent version, and is created once", async () => {
  const [before] = await database.run("select latest_version from prompt_names where name = 'tutor'");
  await one.query("begin");
  await one.query(
    `select create_prompt_version('tutor', '{"prompt": "By hand", "labels": ["production"]}', '{}', 1, 5, 1000)`,
  );
  const seeded = other.query(seed);
  await otherWaits();
  await one.query("commit");
  expect((await seeded).rows).toEqual([{ added: true }]);

  await one.query("begin");
  await one.query("select lock_all_prompts()");
  const again = other.query(seed);
  await otherWaits();
  await one.query("commit");
  expect((await again).rows).toEqual([{ added: false }]);

  const first = Number(before?.["latest_version"]) + 1;
  expect(
    await database.run(
      `select version, prompt, labels from prompt_versions where name = 'tutor' and version >= ${first} order by version`,
    ),
  ).toEqual([
    { version: first, prompt: "By hand", labels: ["production"] },
    { version: first + 1, prompt: "Seeded", labels: ["latest"] },
  ]);
});
