import { type SQL, sql } from "drizzle-orm";

export type NewImport = {
  universityId: number;
  creatorId: number;
  /** As stored, in lower case. */
  format: string;
  isDryRun: boolean;
  overrides: boolean;
  total: number;
  refused: number;
  /** JSON. */
  readAs: string;
  ignored: string;
  at: string;
};

/** Without its rows. An import whose rows are all rejected has ended. */
export const insertImportQuery = (one: NewImport): SQL => sql`
  insert into imports as one
    (university_id, created_by_user_id, format, is_dry_run, overrides, total, refused, read_as, ignored,
      created_at, ended_at)
  values (${one.universityId}, ${one.creatorId}, ${one.format}, ${one.isDryRun}, ${one.overrides},
    ${one.total}, ${one.refused}, ${one.readAs}::jsonb, ${one.ignored}::jsonb, ${one.at},
    ${one.refused === one.total ? one.at : null})
  returning *`;

/** Rows of `ImportRow` as JSON, for an import that is inserted in the same transaction. */
export const insertImportRowsQuery = (importId: SQL, rows: string): SQL => sql`
  insert into import_rows
    (import_id, kind, file, line, sourced_id, email, is_deletion, details, outcome, reason)
  select ${importId}, given.kind, given.file, given.line, given.sourced_id, given.email, given.is_deletion,
    given.details, case when given.refusal is not null then 'refused' end, given.refusal
  from rows from (jsonb_to_recordset(${rows}::jsonb) as (
    kind text, file text, line integer, sourced_id text, email text, is_deletion boolean, details jsonb,
    refusal text)) with ordinality
    as given (kind, file, line, sourced_id, email, is_deletion, details, refusal, position)
  order by given.position`;
