import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { GradeImport, GradeImportResult } from "../../schema/api/assessment/grades.ts";
import {
  ensurePermittedInOffering,
  explainOfferingRefusal,
  permittedOfferingQuery,
} from "../courses/permitted-offering.ts";
import { type ErrorCode, formatErrorMessage, type MessageValuesFor } from "../error-codes.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { personIdByExternalIdSql } from "../identity/users/member-names.ts";
import { requestAuditJson } from "../platform/async/request-context.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { fileReaderThreadPool } from "../platform/readers/reading-threads.ts";
import type { FindUploadedFile } from "../platform/readers/uploaded-file.ts";
import type { GradesCsvInput, ParsedGradesForDatabase } from "./parse-grades-csv.ts";
import { SetGradeResult } from "./set-grades.ts";

const gradesReader = new URL("./grades-reader.ts", import.meta.url);

/** With the value from the file. */
const ToldCell = SetGradeResult.pick({
  refusal: true,
  former_score: true,
  former_state: true,
  bound: true,
}).extend({
  line: z.int(),
  user_id: z.int().nullable(),
  anonymous_code: z.string().nullable(),
  content_item_id: z.int(),
  score: z.number().nullable(),
  is_repeated: z.boolean().nullable(),
});

/**
 * Resolves people by external id in the offering's university, or by an item's code until its grades are
 * released. If two lines name one person, the second is marked as repeated, without a person; lines by code
 * are not compared.
 */
const withPeople = (entries: string): SQL => sql`
  select coalesce(jsonb_agg(case when not found.entry ?| array['external_id', 'code'] and not found.is_repeated then found.entry
      when found.is_repeated then found.entry || '{"user_id": null, "is_repeated": true}'
      else found.entry || jsonb_build_object('user_id', found.user_id) end order by found.number), '[]') as entries
  from (
    select one.*, one.user_id is not null and not one.entry ? 'code'
      and one.line > min(one.line) over (partition by one.user_id, one.entry ? 'code') as is_repeated
    from (
      select given.entry, given.number, (given.entry -> 'line')::int as line,
        case when given.entry ? 'external_id'
          then ${personIdByExternalIdSql(sql`permitted.university_id`, sql`given.entry ->> 'external_id'`)}
          when given.entry ? 'code' then (
            select known.user_id from anonymous_codes as known
            where known.course_offering_id = permitted.offering_id and known.code = given.entry ->> 'code'
              and known.content_item_id = (given.entry ->> 'content_item_id')::int
              and is_grading_anonymous(known.course_offering_id, known.content_item_id))
          else (given.entry ->> 'user_id')::int end as user_id
      from permitted cross join jsonb_array_elements(${entries}::jsonb) with ordinality as given (entry, number)
    ) as one
  ) as found`;

const Done = z.object({
  changed: z.int(),
  unchanged: z.int(),
  refused: z.int(),
  told: z.array(ToldCell),
});

const codes = {
  "no item": "row_item_unknown",
  "not enrolled": "not_enrolled",
  own: "own_work",
  final: "grade_is_final",
  anonymous: "row_graded_anonymously",
  "no code": "row_anonymous_code_unknown",
  "two marks": "row_two_marks",
} as const;

/** Detail and code; both null if the cell was accepted. */
const refusedAs = <Code extends ErrorCode>(code: Code, ...[values]: MessageValuesFor<Code>) => ({
  detail: formatErrorMessage(code, values),
  code,
});

function refusalOf(cell: z.output<typeof ToldCell>): Pick<Result, "detail" | "code"> {
  const { refusal, bound, former_score, former_state, score, is_repeated } = cell;
  if (is_repeated) return refusedAs("row_person_has_line");
  switch (refusal) {
    case null:
      return { detail: null, code: null };
    case "too many points":
      return bound
        ? refusedAs("too_many_points", { title: bound.title, most: bound.most })
        : refusedAs("over_the_points");
    case "too many":
      return refusedAs("row_too_many_cells", { count: maxGradeCellsPerImportRow });
    case "changed": {
      const now = former_state === "excused" ? "EX" : (former_score ?? "nothing");
      return refusedAs("row_changed_since_export", { now, sent: score ?? "EX" });
    }
    default:
      return refusedAs(codes[refusal]);
  }
}

/** `override_item_grades` changes these in one statement. */
const maxGradeCellsPerImportRow = 2000;

/** Results reported individually. */
const maxGradeImportResults = 5000;

type Result = GradeImportResult["results"][number];

/** The first changed or rejected cells of `done`, in the order of `given.entries`. */
const toldCells = sql`
  coalesce((
    select json_agg(json_build_object(
      'refusal', refusal, 'former_score', former_score, 'former_state', former_state, 'bound', bound,
      'line', entry -> 'line', 'user_id', case when not entry ? 'code' then entry -> 'user_id' end, 'anonymous_code', entry -> 'code', 'content_item_id', entry -> 'content_item_id',
      'score', entry -> 'score', 'is_repeated', entry -> 'is_repeated') order by number)
    from (
      select number, refusal, former_score, former_state, case when refusal <> 'no item' then bound end as bound,
             (select entries from given) -> (number - 1) as entry
      from done where is_changed or refusal is not null order by number limit ${maxGradeImportResults}
    ) as listed), '[]'::json)`;

/**
 * Imports scores in the gradebook's export format. Unchanged fields change nothing, so an import can be
 * repeated. A cell whose version differs from the file's is skipped unless `overwrite` is set. Rejected cells
 * are reported and the others are set; a dry run writes nothing. 404, or 403 without the right to grade,
 * before anything is read; 422 for an unusable file; errors of `find` for an upload.
 */
export async function importGrades(
  db: Db,
  actor: Actor,
  offeringId: number,
  { csv, file_id, dry_run, overwrite, reason }: GradeImport,
  { now, find }: { now: Date; find: FindUploadedFile },
): Promise<GradeImportResult> {
  await ensurePermittedInOffering(db, actor, "grade:write", offeringId);
  const sent = file_id === undefined ? undefined : await find(file_id, { offering_id: offeringId });
  const given: GradesCsvInput = { csv, overwrite, maxIssues: maxGradeImportResults };
  const file = await fileReaderThreadPool.read<ParsedGradesForDatabase>(gradesReader, given, actor.id, sent);
  const [done] = await rowsOf(
    db,
    Done,
    sql`
      with permitted as materialized (${permittedOfferingQuery(actor, "grade:write", offeringId)}),
      given as materialized (${withPeople(file.entries)}),
      done as materialized (
        select done.* from permitted cross join given cross join lateral override_item_grades(
          permitted.offering_id, given.entries, true, ${actor.id}, ${reason}, ${dry_run}, ${now.toISOString()},
          ${requestAuditJson()}::jsonb) as done
      )
      select counted.changed, counted.unchanged, counted.refused, ${toldCells} as told
      from permitted cross join lateral (
        select count(*) filter (where is_changed)::int as changed,
               count(*) filter (where not is_changed and refusal is null)::int as unchanged,
               count(*) filter (where refusal is not null)::int as refused
        from done) as counted`,
  );
  if (!done) return explainOfferingRefusal(db, actor, offeringId);
  const told = done.told.map((cell): Result => {
    const { line, user_id, anonymous_code, content_item_id, refusal, former_score, score } = cell;
    const outcome = refusal ? "REFUSED" : "CHANGED";
    return {
      ...{ line, user_id, anonymous_code, content_item_id, outcome, former_score, score },
      ...refusalOf(cell),
    };
  });
  const faulty = file.faults.map(
    (fault): Result => ({
      ...fault,
      anonymous_code: null,
      outcome: "REFUSED",
      former_score: null,
      score: null,
    }),
  );
  return {
    dry_run,
    read_as: file.read_as,
    changed: done.changed,
    unchanged: done.unchanged,
    refused: done.refused + file.faultsInAll,
    results: [...told, ...faulty].sort((one, other) => one.line - other.line).slice(0, maxGradeImportResults),
  };
}
