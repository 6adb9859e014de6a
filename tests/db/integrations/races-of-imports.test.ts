import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createImportFileFinder } from "../../../lib/files/find-import-file.ts";
import { startImport } from "../../../lib/integrations/imports/imports.ts";
import { eraseLeftovers } from "../../../lib/operations/personal-data/erase-leftovers.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { universityDomains } from "../../../schema/db/identity/university-domains.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let clients: pg.Client[];

beforeAll(async () => {
  clients = [1, 2, 3].map(() => new pg.Client(world.deps.config.DATABASE_URL));
  await Promise.all(clients.map((client) => client.connect()));
});

afterAll(() => Promise.all(clients.map((client) => client.end())));

type Files = Parameters<typeof startImport>[3]["files"];

/** A domain of all universities here: a person with a verified address in it is an own person of each. */
const sharedDomain = "races-of-imports.example.edu";

/** A university that accepts imports. */
async function prepareUniversity() {
  const university = await make.university();
  await world.deps.db
    .insert(universityDomains)
    .values({ university_id: university.id, domain: sharedDomain });
  const { id } = await make.holder("university_admin", university.id);
  const offering = await make.offering(await make.course(university.id));
  const held = { role: "university_admin" as const, university_id: university.id, department_id: null };
  const actor = { id, roles: [held] } as unknown as Parameters<typeof startImport>[1];
  /** The statement that processes an import of these files. */
  const importing = async (files: Files): Promise<string> => {
    const input = { format: "CSV" as const, dry_run: false, override: false, files };
    const begun = await startImport(world.deps.db, actor, university.id, input, {
      ...{ now: world.deps.now(), secrets: world.deps.config, signal: AbortSignal.abort() },
      find: createImportFileFinder(world.deps, actor),
    });
    return `select process_next_import_rows(${begun.id}, 500, '{"at": "2026-03-10T12:00:00Z"}', null)`;
  };
  return { id: university.id, offering, importing, importer: id };
}

const lines = (header: string, rows: string[]) => [header, ...rows].join("\r\n");
const peopleFile = (people: { email: string }[], name: string) => ({
  "people.csv": lines(
    "email,full_name",
    people.map(({ email }) => `${email},${name}`),
  ),
});

const endOf = (work: Promise<unknown>): Promise<string> => work.then(() => "done", String);

/** Waits until so many statements wait for a lock. */
const waiting = (count: number) =>
  expect
    .poll(async () => {
      const { rows } = await world.deps.db.execute(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length;
    })
    .toBe(count);

/** Both statements meet at the second of three people, whose row is locked until both wait. */
const meetAt = (people: { id: number }[], statements: string[]) =>
  meetOver("select from users where id = $1 for no key update", people[1]?.id, statements);

/** Both statements meet at the locked row until both wait. */
async function meetOver(keeping: string, kept: unknown, statements: string[]): Promise<void> {
  const [keeper, ...workers] = clients as [pg.Client, pg.Client, pg.Client];
  await keeper.query("begin");
  await keeper.query(keeping, [kept]);
  const working: Promise<string>[] = [];
  for (const [index, client] of workers.entries()) {
    working.push(endOf(client.query(statements[index] ?? "")));
    await waiting(index + 1);
  }
  await keeper.query("commit");
  expect(await Promise.all(working)).toEqual(["done", "done"]);
}

/** An own person of every university here, and a member of none yet. */
const personOfAll = () =>
  make.person({
    email: `${make.unique("person")}@${sharedDomain}`.toLowerCase(),
    email_verified_at: "2026-01-01T00:00:00Z",
  });

const threePeople = async () => [await personOfAll(), await personOfAll(), await personOfAll()];

it("two universities that import the same people in opposite order do not wait for each other", async () => {
  const [one, other, people] = [await prepareUniversity(), await prepareUniversity(), await threePeople()];
  await meetAt(people, [
    await one.importing(peopleFile(people, "Ada")),
    await other.importing(peopleFile(people.toReversed(), "Ada")),
  ]);
});

it("nor does one of them when it renames its own people", async () => {
  const [one, other, all] = [await prepareUniversity(), await prepareUniversity(), await threePeople()];
  // The first import may rename the person, whom only it knows; the other import owns the account that it
  // created.
  const known = await make.ownPerson(other.id);
  await world.deps.db
    .insert(userUniversityRoles)
    .values({ user_id: known.id, university_id: one.id, role: "STUDENT" });
  const people = [known, ...all.slice(1)].sort((a, b) => a.id - b.id);
  await meetAt(people, [
    await one.importing(peopleFile(people, "Countess")),
    await other.importing(peopleFile(people, "Ada")),
  ]);
});

it("nor when it enrolls people of the other import", async () => {
  const [one, other, people] = [await prepareUniversity(), await prepareUniversity(), await threePeople()];
  const enrolled = people.toReversed().map(({ email }) => `${email},${one.offering.id}`);
  await meetAt(people, [
    await one.importing({ "enrollments.csv": lines("email,course_offering_id", enrolled) }),
    await other.importing(peopleFile(people, "Ada")),
  ]);
});

it("nor when it grants them roles", async () => {
  const [one, other, people] = [await prepareUniversity(), await prepareUniversity(), await threePeople()];
  const granted = people.toReversed().map(({ email }) => `${email},ta`);
  await meetAt(people, [
    await one.importing({ "roles.csv": lines("email,role", granted) }),
    await other.importing(peopleFile(people, "Ada")),
  ]);
});

it.each([
  ["people.csv", "email,full_name", () => "Ada"],
  ["roles.csv", "email,role", () => "ta"],
  ["enrollments.csv", "email,course_offering_id", (offering: number) => String(offering)],
] as const)(
  "nor when both offer people of elsewhere what %s says, of which one mail tells them",
  async (file, header, of) => {
    const [one, other] = [await prepareUniversity(), await prepareUniversity()];
    const people = [await make.person(), await make.person(), await make.person()];
    for (const person of people)
      await world.deps.db.execute(
        sql`update users set password_hash = 'theirs', email_verified_at = now() where id = ${person.id}`,
      );
    const offering = ({ importing, offering }: typeof one, to: typeof people) =>
      importing({
        [file]: lines(
          header,
          to.map(({ email }) => `${email},${of(offering.id)}`),
        ),
      });
    await meetOver(
      "insert into mail_outbox (kind, address, created_at, due_at) values ('invitation', $1, now(), now())",
      people[1]?.email,
      [await offering(one, people), await offering(other, people.toReversed())],
    );
  },
);

it("sequential departures do not block erasures in any of their offerings", async () => {
  const { importing, offering, id } = await prepareUniversity();
  const second = await make.offering(await make.course(id));
  const [early, late, both] = await threePeople();
  if (!early || !late || !both) throw new Error("three people");
  await make.enrollment(early.id, second.id);
  await make.enrollment(late.id, offering.id);
  for (const run of [offering, second]) await make.enrollment(both.id, run.id);
  const leaving = [early, late].map(({ email }) => `${email},X,tobedeleted`);
  const statement = await importing({ "people.csv": lines("email,full_name,status", leaving) });
  const [keeper, worker] = clients as [pg.Client, pg.Client];
  await keeper.query("begin");
  await keeper.query("select from course_offerings where id = $1 for no key update", [offering.id]);
  const working = endOf(worker.query(statement));
  await waiting(1);
  // As an erasure does, in the order of ids.
  await keeper.query("select from course_offerings where id = $1 for no key update", [second.id]);
  await keeper.query("commit");
  expect(await working).toBe("done");
});

const erasureOf = async ({ id }: { id: number }) => {
  const [account] = await rowsOf(`select token_version from users where id = ${id}`);
  return `select erase_account(${id}, ${account?.["token_version"]}, false, '{"at": "2026-03-10T12:00:00Z"}')`;
};

const rowsOf = async (statement: string) =>
  (await world.deps.db.execute(sql.raw(statement))).rows as Record<string, unknown>[];

/** Everything that an import may grant to an account. */
const givenTo = (person: { id: number }) =>
  rowsOf(`
    select 'role' as given from user_university_roles where user_id = ${person.id}
    union all select 'id' from sourced_people where user_id = ${person.id}
    union all select 'row' from import_rows where user_id = ${person.id}
    union all select 'name' from users where id = ${person.id} and (full_name <> '' or email is not null)
    union all select 'seat' from enrollments where user_id = ${person.id} and status = 'active'`);

it("an erasure and an import of a row about an existing person do not deadlock", async () => {
  const { id, importing } = await prepareUniversity();
  const person = await personOfAll();
  await world.deps.db
    .insert(userUniversityRoles)
    .values({ user_id: person.id, university_id: id, role: "STUDENT" });
  await rowsOf(`insert into flashcard_decks (user_id, title) values (${person.id}, 'Kept for a while')`);
  const statement = await importing(peopleFile([person], person.full_name));
  await meetOver("select from flashcard_decks where user_id = $1 for update", person.id, [
    await erasureOf(person),
    statement,
  ]);
  expect(await givenTo(person)).toEqual([]);
});

it("nor do the import of a person's row and their concurrent erasure", async () => {
  const { importing } = await prepareUniversity();
  const [first, second] = await threePeople();
  if (!first || !second) throw new Error("three people");
  const statement = await importing(peopleFile([first, second], "Ada"));
  await meetOver("select from users where id = $1 for no key update", second.id, [
    statement,
    await erasureOf(first),
  ]);
  await eraseLeftovers(world.deps, new AbortController().signal);
  expect(await givenTo(first)).toEqual([]);
});

it("nor do an import with an offer and the erasure of its creator", async () => {
  const { id, importing, importer } = await prepareUniversity();
  await make.holder("university_admin", id);
  await rowsOf(`insert into flashcard_decks (user_id, title) values (${importer}, 'Kept for a while')`);
  const elsewhere = await make.person();
  await rowsOf(
    `update users set password_hash = 'theirs', email_verified_at = now() where id = ${elsewhere.id}`,
  );
  const statement = await importing(peopleFile([elsewhere], "Ada"));
  await meetOver("select from flashcard_decks where user_id = $1 for update", importer, [
    await erasureOf({ id: importer }),
    statement,
  ]);
  expect(await rowsOf(`select id from imports where created_by_user_id = ${importer}`)).toEqual([]);
});

it.each([0, 1, 2, 3, 4, 5])(
  "an import of a person during their erasure grants nothing to an erased account (%i)",
  async (round) => {
    const { importing, offering } = await prepareUniversity();
    const person = await personOfAll();
    const people = [
      await importing({ "people.csv": `sourced_id,email,full_name\r\nn-1,${person.email},Ada` }),
      await importing({ "enrollments.csv": `email,course_offering_id\r\n${person.email},${offering.id}` }),
    ];
    const [one, other] = clients as [pg.Client, pg.Client, pg.Client];
    await one.query(people[0] ?? "");
    const renamed = await importing({
      "people.csv": `sourced_id,email,full_name\r\nn-1,${person.email},Countess`,
    });
    const [erased, ...worked] = await Promise.all([
      endOf(other.query(await erasureOf(person))),
      endOf(one.query(round % 2 ? renamed : (people[1] ?? ""))),
    ]);
    expect([erased, ...worked]).toEqual(["done", "done"]);
    await eraseLeftovers(world.deps, new AbortController().signal);
    const given = (await givenTo(person)).map(({ given }) => given);
    // The record lists a seat, but others can take it: the account is not active.
    expect(given.filter((one) => one !== "seat")).toEqual([]);
    expect(await rowsOf(`select from import_rows where email = '${person.email}'`)).toEqual([]);
  },
);
