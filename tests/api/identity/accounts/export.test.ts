import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  exportExclusionReasonsByTable,
  personalTables,
} from "../../../../lib/operations/personal-data/personal-data.ts";
import { liveALife } from "../../../support/life.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

/** Every table that references a person by foreign key or column name. */
async function tablesOfPeople(): Promise<string[]> {
  const { rows } = await world.deps.db.execute(sql`
    select conrelid::regclass::text as name from pg_constraint where contype = 'f' and confrelid = 'users'::regclass
    union
    select table_name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and (column_name ~ '(^|_)user_id$' or column_name in ('actor_id', 'email', 'address'))
    union
    -- Whatever goes with one of those, such as the messages of a conversation.
    select child.conrelid::regclass::text from pg_constraint as child
    join pg_constraint as parent on parent.conrelid = child.confrelid and parent.confrelid = 'users'::regclass
      and parent.contype = 'f' and parent.confdeltype = 'c'
    where child.contype = 'f' and child.confdeltype = 'c'
    order by 1`);
  return rows.map(({ name }) => String(name));
}

/** Belongs to a conversation and has no lasting personal data. */
const passing = ["generations"];

describe("the list of personal tables", () => {
  it("has every table that names a person: a new one is exported, or listed as excluded", async () => {
    const listed = [
      ...personalTables.map(({ name }) => name),
      ...Object.keys(exportExclusionReasonsByTable),
      ...passing,
    ];
    const named = await tablesOfPeople();
    expect(named.length).toBeGreaterThan(25);
    expect(named.filter((name) => !listed.includes(name))).toEqual([]);
  });
});

describe("GET /users/me/export", () => {
  it("has every row that belongs to the person, and no secret", async () => {
    const words = "of an octopus";
    const life = await liveALife(world, words);
    await liveALife(world, "of a stranger");
    // Data found by their address is exported only after they verify it.
    const unverified = (await life.as("GET", "/users/me/export")).body;
    for (const name of ["invitations", "import_rows", "sourced_people", "mail_outbox"])
      expect([name, unverified[name].filter((row: object) => JSON.stringify(row).includes(words))]).toEqual([
        name,
        [],
      ]);
    expect(unverified.invitations).toEqual([]);
    await world.deps.db.execute(sql`update users set email_verified_at = now() where id = ${life.id}`);
    const reply = await life.as("GET", "/users/me/export");
    expect(reply.status).toBe(200);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const { exported_at, ...tables } = reply.body;
    expect(exported_at).toBe(world.deps.now().toISOString());
    expect(Object.keys(tables)).toEqual(personalTables.map(({ name }) => name));
    expect(reply.text).not.toContain("of a stranger");

    const { rows: all } = await world.deps.db.execute(
      sql`select tablename as name from pg_tables where schemaname = 'public'`,
    );
    for (const { name } of all as { name: string }[]) {
      const { rows } = await world.deps.db.execute(
        sql`select count(*)::int as rows from ${sql.identifier(name)} as one where position(${words} in one::text) > 0`,
      );
      const [{ rows: count } = { rows: 0 }] = rows as { rows: number }[];
      const exported = (tables[name] ?? []).filter((row: object) =>
        JSON.stringify(row).includes(words),
      ).length;
      // Shared answers are not personal data, but are removed on erasure because they contain these words.
      if (name !== "cache_nodes" && name !== "generations") expect(exported, name).toBe(count);
    }
    expect(tables.users[0]).toMatchObject({ id: life.id, email: life.email });
    for (const secret of ["password_hash", "token_hash", "ciphertext"])
      expect(reply.text).not.toContain(secret);
  });

  it("reads tables with many rows to their end", async () => {
    const life = await liveALife(world, "of many");
    await world.deps.db.execute(
      sql`insert into notes (user_id, content_item_id, body)
          select ${life.id}, ${life.item.id}, 'many ' || n from generate_series(1, 450) as n`,
    );
    const reply = await life.as("GET", "/users/me/export");
    expect(reply.body.notes).toHaveLength(451);
  });

  it("is neither made nor audited for a revoked token of a cached person", async () => {
    const person = await make.person();
    const before = world.as(person);
    expect((await before.get("/users/me/export")).status).toBe(200);
    expect((await before.get("/users/me")).status).toBe(200);
    await world.deps.db.execute(sql`update users set token_version = 1 where id = ${person.id}`);
    expect((await before.get("/users/me/export")).status).toBe(401);
    const { rows } = await world.deps.db.execute(
      sql`select from audit_events where action = 'account.exported' and actor_id = ${person.id}`,
    );
    expect(rows).toHaveLength(1);
  });

  it("is noted in the audit log", async () => {
    const life = await liveALife(world, "of notes");
    await life.as("GET", "/users/me/export");
    const { rows } = await world.deps.db.execute(
      sql`select actor_id, subject_id from audit_events where action = 'account.exported' and actor_id = ${life.id}`,
    );
    expect(rows).toEqual([{ actor_id: life.id, subject_id: life.id }]);
  });
});
