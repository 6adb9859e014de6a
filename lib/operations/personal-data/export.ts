import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { loadOwnAccountWithCredentials } from "../../identity/accounts/own-account.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Caller } from "../../identity/auth/guards.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { type PersonalTable, personalTables } from "./personal-data.ts";

const batch = 200;

const Held = z.object({ name: z.string(), keys: z.array(z.string()) });
const Row = z.object({ content: z.string() });
const Noted = z.object({ id: z.string() });

/**
 * Audits the export and returns that event's id, the first one not included. Checks the caller before: 401
 * and 403 as in `loadOwnAccountWithCredentials`.
 */
export async function auditAccountExport(db: Db, caller: Caller): Promise<string> {
  await loadOwnAccountWithCredentials(db, caller);
  const act = { action: "account.exported", actor: caller.id, subject: caller.id } as const;
  const statement = sql`${insertAuditEventsQuery(act, sql`(select) as one`)} returning id::text`;
  const [noted] = await rowsOf(db, Noted, statement);
  if (!noted) throw new Error("an export was not recorded");
  return noted.id;
}

/** Streams one JSON object: `exported_at`, and an array for each table. */
export async function* streamPersonalDataJson(
  db: Db,
  person: number,
  before: string,
  now: Date,
  tables: readonly PersonalTable[] = personalTables,
): AsyncGenerator<string> {
  yield `{"exported_at":${JSON.stringify(now)}`;
  const keys = await keysHeld(db, person, before, tables);
  for (const table of tables) {
    yield `,${JSON.stringify(table.name)}:[`;
    let isFirst = true;
    for await (const rows of batchesOf(db, table, person, keys.get(table.name) ?? [])) {
      yield `${isFirst ? "" : ","}${rows.join(",")}`;
      isFirst = false;
    }
    yield "]";
  }
  yield "}";
}

const veiledIn = ({ veiled: { columns, until } = { columns: [], until: sql`true` } }: PersonalTable): SQL =>
  sql`case when ${until} then '{}' else ${sql.param(columns)} end::text[]`;

const keyOf = (table: PersonalTable): SQL => sql`one.${sql.identifier(table.key)}`;

/**
 * Keys of the person's rows in each table that has any. No limit: Postgres would then walk the key's index
 * through other people's rows.
 */
async function keysHeld(
  db: Db,
  person: number,
  before: string,
  tables: readonly PersonalTable[],
): Promise<Map<string, string[]>> {
  const each = tables.map((table) => {
    const key = keyOf(table);
    const untilNow = table.name === "audit_events" ? sql`and one.id < ${before}` : sql``;
    return sql`
      select ${table.name}::text as name, array_agg(${key}::text order by ${key}) as keys
      from ${sql.identifier(table.name)} as one where ${table.of(person)} ${untilNow} having count(*) > 0`;
  });
  const held = await rowsOf(db, Held, sql.join(each, sql` union all `));
  return new Map(held.map(({ name, keys }) => [name, keys]));
}

async function* batchesOf(
  db: Db,
  table: PersonalTable,
  person: number,
  keys: readonly string[],
): AsyncGenerator<string[]> {
  const key = keyOf(table);
  for (let from = 0; from < keys.length; from += batch) {
    const rows = await rowsOf(
      db,
      Row,
      sql`select (to_jsonb(one) - ${sql.param(table.secrets ?? [])}::text[] - ${veiledIn(table)} || ${table.beside ?? sql`'{}'`})::text as content
          from ${sql.identifier(table.name)} as one
          where ${table.of(person)} and ${key} = any(${sql.param(keys.slice(from, from + batch))}) order by ${key}`,
    );
    if (rows.length > 0) yield rows.map(({ content }) => shownOf(table, content));
  }
}

const shownOf = ({ shown }: PersonalTable, row: string): string =>
  shown ? JSON.stringify(shown(JSON.parse(row))) : row;
