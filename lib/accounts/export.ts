import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { auditOf } from "../audit/record.ts";
import type { Caller } from "../auth/guards.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { ownAccount } from "./own-account.ts";
import { type PersonalTable, personalTables } from "./personal-data.ts";

/** Rows that are read and sent at once. */
const batch = 200;

const Row = z.object({ key: z.string(), content: z.string() });
const Noted = z.object({ id: z.string() });

/**
 * Notes the export in the audit log; answers the number of that line, which is the first that is not exported. Nothing
 * is noted where the caller is refused, so that they are looked up first: 401 and 403 as `ownAccount` says.
 */
export async function noteExport(db: Db, caller: Caller): Promise<string> {
  await ownAccount(db, caller);
  const act = { action: "account.exported", actor: caller.id, subject: caller.id } as const;
  const statement = sql`${auditOf(act, sql`(select) as one`)} returning id::text`;
  const [noted] = await rowsOf(db, Noted, statement);
  if (!noted) throw new Error("an export was not noted");
  return noted.id;
}

/**
 * Everything that is held on a person, piece by piece, as the text of one JSON object: `exported_at`, and under the
 * name of each table an array of its rows.
 */
export async function* exportedText(
  db: Db,
  person: number,
  before: string,
  now: Date,
): AsyncGenerator<string> {
  yield `{"exported_at":${JSON.stringify(now)}`;
  for (const table of personalTables) {
    yield `,${JSON.stringify(table.name)}:[`;
    let isFirst = true;
    for await (const rows of batchesOf(db, table, person, before)) {
      yield `${isFirst ? "" : ","}${rows.join(",")}`;
      isFirst = false;
    }
    yield "]";
  }
  yield "}";
}

/** The columns of a row that are not to be seen yet. */
const veiledIn = ({ veiled: { columns, until } = { columns: [], until: sql`true` } }: PersonalTable): SQL =>
  sql`case when ${until} then '{}' else ${sql.param(columns)} end::text[]`;

async function* batchesOf(
  db: Db,
  table: PersonalTable,
  person: number,
  before: string,
): AsyncGenerator<string[]> {
  const key = sql`one.${sql.identifier(table.key)}`;
  const untilNow = table.name === "audit_events" ? sql`and one.id < ${before}` : sql``;
  for (let last: string | undefined; ; ) {
    const after = last === undefined ? sql`` : sql`and ${key} > ${last}`;
    const rows = await rowsOf(
      db,
      Row,
      sql`select ${key}::text as key, (to_jsonb(one) - ${sql.param(table.secrets ?? [])}::text[] - ${veiledIn(table)})::text as content
          from ${sql.identifier(table.name)} as one
          where ${table.of(person)} ${untilNow} ${after} order by ${key} limit ${batch}`,
    );
    if (rows.length > 0) yield rows.map(({ content }) => content);
    if (rows.length < batch) return;
    last = rows.at(-1)?.key;
  }
}
