import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { atOnce as meet } from "../../support/locks.ts";

let database: TestDatabase;
let one: pg.Client;
let other: pg.Client;

beforeAll(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await database.run(`insert into identity_providers (university_id, name, label, issuer, client_id, secret_ciphertext)
    values (1, 'campus', 'Campus', 'https://id.example.edu', 'c', 's')`);
  await database.run(
    "insert into university_domains (university_id, domain) values (1, 'directory.example')",
  );
  [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
});

afterAll(async () => {
  await Promise.all([one.end(), other.end()]);
  await database.drop();
});

const request = `'{"at": "2026-03-10T12:00:00Z"}'::jsonb`;
const write = (address: string, isActive: boolean, record = "null") =>
  `select create_or_replace_scim_user(1, ${record}, '${JSON.stringify({ user_name: address, email: address, full_name: "Dee", is_active: isActive, attributes: {} })}'::jsonb, null, 1, ${request})`;
const signIn = (address: string) =>
  `select sign_in_by_identity_provider((select id from identity_providers), '${address}', '${address}', 'Dee', ${request})`;
const recordOf = (address: string) => `(select id from scim_users where email = '${address}')`;

const atOnce = (first: string, second: string) => meet({ database, one, other }, first, second);

/** The state before: the directory deactivates the person while they sign in. */
const before: [string, (address: string) => string][] = [
  ["is known to neither", () => "select 1"],
  [
    "has an account of elsewhere, and an offer",
    (address) =>
      `insert into users (email, full_name, password_hash, email_verified_at) values ('${address}', 'Dee', 'x', now());
     ${write(address, true)}`,
  ],
  ["was made an account by the directory", (address) => write(address, true)],
  ["has signed in before", (address) => `${write(address, true)}; ${signIn(address)}`],
];

it.each(
  before.flatMap(([who, made], at) => [true, false].map((endsFirst) => [who, endsFirst, made, at] as const)),
)(
  "whoever %s has no rights once the directory has ended them beside a sign-in, which comes first: %s",
  async (_, endsFirst, made, at) => {
    const address = `dee-${at}-${endsFirst ? "ended" : "came"}@directory.example`;
    await one.query(made(address));
    const end = at === 0 ? write(address, false) : write(address, false, recordOf(address));
    await atOnce(...((endsFirst ? [end, signIn(address)] : [signIn(address), end]) as [string, string]));
    const [person] = await database.run(
      `select person.id, is_suspended(1, person.id), record.user_id = person.id as is_theirs
       from users as person join scim_users as record on record.email = person.email where person.email = '${address}'`,
    );
    expect(person).toMatchObject({ is_suspended: true, is_theirs: true });
  },
);
