import { createHash } from "node:crypto";

export const mutantCategories = ["guards", "policy", "tenancy", "validation", "sql"] as const;

export type MutantCategory = (typeof mutantCategories)[number];

/** Replaces characters `start` to `end` of a file by `text`. */
export type SourceEdit = { start: number; end: number; text: string };

/** The expression that the coverage run observes to find tests that reach a mutant. */
export type CoverageProbe = {
  start: number;
  end: number;
  kind: "evaluated" | "called" | "read" | "validates";
};

export type Mutant = {
  /** A hash of the change, stable while other code changes. */
  id: string;
  category: MutantCategory;
  operator: string;
  file: string;
  line: number;
  edit: SourceEdit;
  from: string;
  probe?: CoverageProbe;
  /** Name of the mutated database function or view. */
  routine?: string;
};

export type MutantDraft = Omit<Mutant, "id" | "line" | "from" | "file">;

/** Assigns ids to drafts; equal changes in one file are numbered. */
export function mutantsFromDrafts(file: string, source: string, drafts: readonly MutantDraft[]): Mutant[] {
  const seen = new Map<string, number>();
  return drafts.map((draft) => {
    const { start, end, text } = draft.edit;
    const from = source.slice(start, end);
    const lineStart = source.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = (source.indexOf("\n", end) + 1 || source.length + 1) - 1;
    const around = `${source.slice(lineStart, start)}\0${source.slice(end, lineEnd)}`;
    const key = [file, draft.operator, around, from, text].join("\0");
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    const id = createHash("sha256").update(`${key}\0${count}`).digest("hex").slice(0, 10);
    return { ...draft, id, file, from, line: source.slice(0, start).split("\n").length };
  });
}

/** Applies edits that do not overlap. */
export function applyEdits(source: string, edits: readonly SourceEdit[]): string {
  let text = source;
  for (const edit of edits.toSorted((one, other) => other.start - one.start))
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  return text;
}

/** Splits mutants into sets without overlapping changes. */
export function splitIntoNonOverlappingSets(mutants: readonly Mutant[]): Mutant[][] {
  const sets: Mutant[][] = [];
  for (const mutant of mutants) {
    const fitting = sets.find((set) => set.every((other) => !overlap(other, mutant)));
    if (fitting) fitting.push(mutant);
    else sets.push([mutant]);
  }
  return sets;
}

const overlap = (one: Mutant, other: Mutant): boolean =>
  one.file === other.file && one.edit.start <= other.edit.end && other.edit.start <= one.edit.end;
