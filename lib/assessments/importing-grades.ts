import type { GradeImport, GradeImportResult } from "../../schema/api/grades.ts";
import type { Actor } from "../auth/actor.ts";
import { ensureInOffering } from "../courses/reached-offering.ts";
import type { Db } from "../db/client.ts";
import { invalidField } from "../errors.ts";
import { readGrades } from "./read-grades.ts";
import { overBound } from "./score-bound.ts";
import { type Entry, type SetCell, setCells } from "./setting-grades.ts";

const details: Record<Exclude<SetCell["refusal"], "changed" | "too many points" | null>, string> = {
  "no item": "There is no such item in the gradebook",
  "not enrolled": "Not enrolled in this offering",
  own: "Nobody grades their own work",
  final: "The grade of this course is final",
  "too many": "An import changes at most 2000 cells: import the file again for the rest",
};

function detailOf({ refusal, bound, former_score, former_state }: SetCell, { score }: Entry): string | null {
  if (refusal === "too many points") return bound && overBound(bound);
  if (refusal !== "changed") return refusal && details[refusal];
  const now = former_state === "excused" ? "EX" : (former_score ?? "nothing");
  return `It has changed since the file was exported: ${now} by now, ${score ?? "EX"} in the file`;
}

/** How many results are told one by one. */
const mostResults = 5000;

type Result = GradeImportResult["results"][number];

/**
 * Sets the scores of a CSV file, as the gradebook is exported; a field that says what the gradebook shows changes nothing,
 * so that an import may be repeated. A cell that has another version than the file says is left as it is, unless that is to
 * be overwritten. What is refused or no grade is told, and the rest is set. A dry run writes nothing. 404 and 403 as
 * `setCells`, before anything is read, and 422 for a file that says nothing.
 */
export async function importGrades(
  db: Db,
  actor: Actor,
  offeringId: number,
  { csv, dry_run, overwrite, reason }: GradeImport,
  now: Date,
): Promise<GradeImportResult> {
  await ensureInOffering(db, actor, "grade:write", offeringId);
  const read = readGrades(csv);
  if (typeof read === "string") throw invalidField(["csv"], read);
  const { entries, faults, read_as } = read;
  const options = { reason, asShown: true, dryRun: dry_run, now };
  const cells = await setCells(
    db,
    actor,
    offeringId,
    entries.map(({ line: _, versions, ...entry }) => ({ ...entry, ...(!overwrite && { versions }) })),
    options,
  );
  const set = cells.map((cell, at): Result => {
    const entry = entries[at];
    if (!entry) throw new Error("set_item_grades answered more cells than it was given");
    const { line, user_id, content_item_id, score } = entry;
    const outcome = cell.refusal ? "REFUSED" : cell.is_changed ? "CHANGED" : "UNCHANGED";
    const { former_score } = cell;
    return { line, user_id, content_item_id, outcome, former_score, score, detail: detailOf(cell, entry) };
  });
  const faulty = faults.map(
    (fault): Result => ({ ...fault, outcome: "REFUSED", former_score: null, score: null }),
  );
  const all = [...set, ...faulty].sort((one, other) => one.line - other.line);
  const countOf = (outcome: Result["outcome"]) => all.filter((one) => one.outcome === outcome).length;
  return {
    dry_run,
    read_as,
    changed: countOf("CHANGED"),
    unchanged: countOf("UNCHANGED"),
    refused: countOf("REFUSED"),
    results: all.filter(({ outcome }) => outcome !== "UNCHANGED").slice(0, mostResults),
  };
}
