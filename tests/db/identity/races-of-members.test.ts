import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { atOnce as meet } from "../../support/locks.ts";

let database: TestDatabase;
let one: pg.Client;
let other: pg.Client;

beforeAll(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
});

afterEach(() =>
  database.run(`
    delete from user_university_roles; delete from enrollments; delete from university_members;
    update users set full_name = 'Ada' where id = 1`),
);

afterAll(async () => {
  await Promise.all([one.end(), other.end()]);
  await database.drop();
});

const grant = "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'ta')";
const enroll = "insert into enrollments (user_id, course_offering_id) values (1, 1)";
const rename = "update users set full_name = 'Countess' where id = 1";

const atOnce = (first: string, second: string) => meet({ database, one, other }, first, second);

const names = async () =>
  (await database.run("select full_name from university_members")).map(({ full_name }) => full_name);

it.each([
  ["given a role", grant],
  ["enrolled", enroll],
])("a person who is renamed while they are %s has the new name, in either order", async (_, join) => {
  await atOnce(join, rename);
  expect(await names()).toEqual(["Countess"]);
  await database.run(`delete from user_university_roles; delete from enrollments;
    delete from university_members; update users set full_name = 'Ada' where id = 1`);
  await atOnce(rename, join);
  expect(await names()).toEqual(["Countess"]);
});

it("a person with a concurrent role and enrollment is one member", async () => {
  await atOnce(grant, enroll);
  expect(await names()).toEqual(["Ada"]);
});
