import type { GradeImport, GradeImportResult } from "../../schema/api/grades.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { invalidField } from "../errors.ts";
import { readGrades } from "./read-grades.ts";
import { overBound } from "./score-bound.ts";
import { type SetCell, setCells } from "./setting-grades.ts";

const details: Record<Exclude<SetCell["refusal"], "too many points" | null>, string> = {
  "no item": "There is no such item in the gradebook",
  "not enrolled": "Not enrolled in this offering",
  own: "Nobody grades their own work",
  final: "The grade of this course is final",
  changed: "It has changed since the file was exported",
  "too many": "An import changes at most 2000 cells: import the file again for the rest",
};

const detailOf = ({ refusal, bound }: SetCell): string | null =>
  refusal === "too many points" ? bound && overBound(bound) : refusal && details[refusal];

/** How many results are told one by one. */
const mostResults = 5000;

type Result = GradeImportResult["results"][number];

/**
 * Sets the scores of a CSV file, as the gradebook is exported; a field that says what the gradebook shows changes nothing,
 * so that an import may be repeated. What is refused or no grade is told, and the rest is set. A dry run writes nothing.
 * 422 for a file that says nothing, 404 and 403 as `setCells`.
 */
export async function importGrades(
  db: Db,
  actor: Actor,
  offeringId: number,
  { csv, dry_run, reason }: GradeImport,
  now: Date,
): Promise<GradeImportResult> {
  const read = readGrades(csv);
  if (typeof read === "string") throw invalidField(["csv"], read);
  const { entries, faults } = read;
  const options = { reason, asShown: true, dryRun: dry_run, now };
  const cells = await setCells(
    db,
    actor,
    offeringId,
    entries.map(({ line: _, ...entry }) => entry),
    options,
  );
  const set = cells.map((cell, at): Result => {
    const { line = 0, user_id = null, content_item_id = null } = entries[at] ?? {};
    const outcome = cell.refusal ? "REFUSED" : cell.is_changed ? "CHANGED" : "UNCHANGED";
    const detail = detailOf(cell);
    return { line, user_id, content_item_id, outcome, former_score: cell.former_score, detail };
  });
  const faulty = faults.map((fault): Result => ({ ...fault, outcome: "REFUSED", former_score: null }));
  const all = [...set, ...faulty].sort((one, other) => one.line - other.line);
  const countOf = (outcome: Result["outcome"]) => all.filter((one) => one.outcome === outcome).length;
  return {
    dry_run,
    changed: countOf("CHANGED"),
    unchanged: countOf("UNCHANGED"),
    refused: countOf("REFUSED"),
    results: all.filter(({ outcome }) => outcome !== "UNCHANGED").slice(0, mostResults),
  };
}
