import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  Import,
  type ImportCreate,
  type ImportQuery,
  ImportResult,
  type ImportResultQuery,
} from "../../../schema/api/integrations/imports.ts";
import { importRows, imports } from "../../../schema/db/integrations/imports.ts";
import { notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "../../identity/universities/universities.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery, descending, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { csvText } from "../../platform/readers/csv.ts";
import { fileReaderThreadPool } from "../../platform/readers/reading-threads.ts";
import type { FindUploadedFile } from "../../platform/readers/uploaded-file.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { decodeStoredReason } from "../../platform/results/stored-reason.ts";
import type { EncryptionSecrets } from "../../platform/secrets/encryption.ts";
import { insertImportQuery, insertImportRowsQuery } from "./insert-import.ts";
import type { ImportRowsInput, ParsedImportRows } from "./read-rows.ts";
import { processImport } from "./work.ts";

/** The id is unique within its university. */
export type ImportPath = { university_id: number; import_id: number };

const rowsReader = new URL("./rows-reader.ts", import.meta.url);

const one = alias(imports, "one");

const shown = {
  id: one.id,
  university_id: one.university_id,
  format: one.format,
  dry_run: one.is_dry_run,
  override: one.overrides,
  total: one.total,
  done: sql`one.created + one.updated + one.unchanged + one.offered + one.refused`,
  created: one.created,
  updated: one.updated,
  unchanged: one.unchanged,
  offered: one.offered,
  refused: one.refused,
  read_as: one.read_as,
  ignored: one.ignored,
  created_by_user_id: one.created_by_user_id,
  created_at: one.created_at,
  ended_at: one.ended_at,
};

const Started = z.object({ id: z.int() });

type ImportDeps = { now: Date; secrets: EncryptionSecrets; signal: AbortSignal; find: FindUploadedFile };

/**
 * Processes an import in the actor's name until `signal` and returns its progress; the schedule continues it.
 * 422 for unreadable files or too many rows; errors of `find` for an upload.
 */
export async function startImport(
  db: Db,
  actor: Actor,
  universityId: number,
  input: ImportCreate,
  { now, secrets, signal, find }: ImportDeps,
): Promise<Import> {
  await ensureAllowedInUniversity(db, actor, "import:manage", universityId);
  const { format, files, zip, file_id } = input;
  const sent = file_id === undefined ? undefined : await find(file_id, { university_id: universityId });
  const given: ImportRowsInput = sent ? { format, sent: sent.name } : { format, files, zip };
  const { rows, total, refused, read_as, ignored } = await fileReaderThreadPool.read<ParsedImportRows>(
    rowsReader,
    given,
    actor.id,
    sent,
  );
  const statement = sql`
    with started as (
      ${insertImportQuery({
        universityId,
        creatorId: actor.id,
        format: format.toLowerCase(),
        isDryRun: input.dry_run,
        overrides: input.override,
        ...{ total, refused, readAs: read_as, ignored, at: now.toISOString() },
      })}
    ), listed as (
      ${insertImportRowsQuery(sql`(select id from started)`, rows)}
    ), audited as (
      ${insertAuditEventsQuery(
        {
          action: "import.started",
          actor: actor.id,
          university: sql`started.university_id`,
          details: sql`jsonb_build_object('import_id', started.id, 'rows', started.total, 'dry_run', started.is_dry_run)`,
        },
        sql`started`,
      )}
    )
    select id from started`;
  const [started] = await rowsOf(db, Started, statement).catch(rethrowMissingUniversityAsNotFound);
  if (!started) throw notFound("University");
  await processImport(db, secrets, started.id, requestAuditJson(), signal);
  return getImport(db, actor, { university_id: universityId, import_id: started.id });
}

/** Newest first; 404 if there is none, 403 unless administrator. */
export async function listImports(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  query: ImportQuery,
): Promise<JsonListPage<Import>> {
  await ensureAllowedInUniversity(db, actor, "import:manage", universityId);
  const page = createPageQuery(query, [descending(one.id)]);
  return queryJsonPage(db, page.rows(shown, sql`imports as one`, eq(one.university_id, universityId)));
}

/** 404 if the university has none of that id. */
export async function getImport(db: ReadDb, actor: Actor, path: ImportPath): Promise<Import> {
  await ensureAllowedInUniversity(db, actor, "import:manage", path.university_id);
  const [found] = await rowsOf(
    db,
    Import,
    sql`select ${wireColumnsSql(shown)} from imports as one
        where one.id = ${path.import_id} and one.university_id = ${path.university_id}`,
  );
  return found ?? missing(db, path);
}

/** In processing order; 404 as above. */
export async function listImportResults(
  db: ReadDb,
  actor: Actor,
  path: ImportPath,
  query: ImportResultQuery,
): Promise<ListPage<ImportResult>> {
  await ensureAllowedInUniversity(db, actor, "import:manage", path.university_id);
  const page = createPageQuery(query, [ascending(importRows.id)]);
  const wanted = and(
    sql`import_id = (select id from imports where id = ${path.import_id} and university_id = ${path.university_id})`,
    query.outcome && sql`outcome = ${query.outcome.toLowerCase()}`,
  );
  const results = await rowsOf(
    db,
    ImportResult.omit({ code: true }).extend(RowWithPageKey.shape),
    sql`select file, line, sourced_id, email, upper(outcome) as outcome, reason, ${page.keyColumn} from import_rows
        ${page.tail(wanted)}`,
  );
  if (results.length === 0) await getImport(db, actor, path);
  return page.part(results.map((result) => ({ ...result, ...decodeStoredReason(result.reason) })));
}

const columns = ["file", "line", "sourced_id", "email", "outcome", "reason", "code"] as const;

export const resultsAsCsv = ({ items }: ListPage<ImportResult>): string =>
  csvText([columns, ...items.map((result) => columns.map((column) => result[column]))]);

async function missing(db: ReadDb, { university_id }: ImportPath): Promise<never> {
  await getUniversity(db, university_id);
  throw notFound("Import");
}
