import type pg from "pg";
import { noteSingle } from "./incoming.ts";
import type { NamedRow, SubjectRow } from "./named-rows.ts";

/** Finds or adds shared rows that a folder names, and maps their ids. Call inside a transaction. */
export async function matchNamedRows(client: pg.Client, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const one: NamedRow = JSON.parse(line);
    switch (one.kind) {
      case "country":
        await noteSingle(client, "countries", one.id, await countryHere(client, one.code));
        break;
      case "content_type":
        await noteSingle(client, "content_types", one.id, await contentTypeHere(client, one.code, one.row));
        break;
      case "domain":
        await client.query(
          "insert into domains (code, name, description) values ($1, $2, $3) on conflict (code) do nothing",
          [one.code, one.row.name, one.row.description],
        );
        break;
      case "subject":
        await noteSingle(client, "subjects", one.id, await subjectHere(client, one));
        break;
      case "prompt_name":
        await addPrompt(client, one);
    }
  }
}

async function countryHere(client: pg.Client, code: string): Promise<number> {
  const found = await idOf(client, "select id from countries where iso_code = $1", [code]);
  if (!found) throw new Error(`The country ${code} does not exist here`);
  return found;
}

async function contentTypeHere(client: pg.Client, name: string, row: object): Promise<number> {
  const known = await idOf(client, "select id from content_types where name = $1", [name]);
  return known ?? (await added(client, "content_types", { name, ...row }));
}

async function subjectHere(
  client: pg.Client,
  {
    code,
    parent,
    domain,
    row,
  }: { code: string; parent: string | null; domain: string | null; row: SubjectRow },
): Promise<number> {
  const known = await idOf(client, "select id from subjects where code = $1", [code]);
  if (known) return known;
  const parent_subject_id =
    parent === null ? null : await idOf(client, "select id from subjects where code = $1", [parent]);
  const domain_id =
    domain === null ? null : await idOf(client, "select id from domains where code = $1", [domain]);
  return added(client, "subjects", { code, ...row, parent_subject_id, domain_id });
}

/** An existing prompt of that name stays unchanged. */
async function addPrompt(client: pg.Client, prompt: NamedRow & { kind: "prompt_name" }): Promise<void> {
  const { rowCount } = await client.query(
    `insert into prompt_names (name, type, tags, latest_version, created_at, version)
     select $1, type, tags, latest_version, created_at, version
     from json_populate_record(null::prompt_names, $2) on conflict (name) do nothing`,
    [prompt.code, JSON.stringify(prompt.row)],
  );
  if (!rowCount) return;
  for (const version of prompt.versions) {
    const id = await added(client, "prompts", { name: prompt.code, ...version });
    await client.query(
      `insert into prompt_dependencies
         (prompt_id, position, child_name, child_version, child_label, occurrences, tag_characters)
       select $1, position, child_name, child_version, child_label, occurrences, tag_characters
       from json_populate_recordset(null::prompt_dependencies, $2)`,
      [id, JSON.stringify((version as { references: object[] }).references)],
    );
  }
  await client.query(
    `insert into prompt_labels (name, label, prompt_id)
     select $1, one.label, prompts.id from json_to_recordset($2) as one (label text, version integer)
     join prompts on prompts.name = $1 and prompts.version = one.version`,
    [prompt.code, JSON.stringify(prompt.labels)],
  );
  await client.query(
    `insert into prompt_label_events (name, label, from_version, to_version, changed_at)
     select $1, label, from_version, to_version, changed_at
     from json_populate_recordset(null::prompt_label_events, $2)`,
    [prompt.code, JSON.stringify(prompt.events)],
  );
}

async function idOf(client: pg.Client, statement: string, values: unknown[]): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>(statement, values);
  return rows[0]?.id;
}

/** Inserts a row with the table's columns, and returns its id. */
async function added(client: pg.Client, table: string, row: Record<string, unknown>): Promise<number> {
  const columns = Object.keys(row).filter((name) => name !== "references");
  const id = await idOf(
    client,
    `insert into ${table} (${columns}) select ${columns} from json_populate_record(null::${table}, $1) returning id`,
    [JSON.stringify(row)],
  );
  if (id === undefined) throw new Error(`No row was written into ${table}`);
  return id;
}
