import { createHash } from "node:crypto";

export const categories = ["guards", "policy", "tenancy", "validation", "sql"] as const;

export type Category = (typeof categories)[number];

/** Characters `start` to `end` of a file become `text`. */
export type Edit = { start: number; end: number; text: string };

/** How the coverage run learns which test files reach a mutant: the expression `start` to `end` is observed. */
export type Probe = { start: number; end: number; kind: "evaluated" | "called" | "read" | "validates" };

/** One seeded fault. */
export type Mutant = {
  /** Made of what it changes, so that it stays the same while other code changes. */
  id: string;
  category: Category;
  operator: string;
  file: string;
  line: number;
  edit: Edit;
  /** The text that is replaced. */
  from: string;
  /** In TypeScript. */
  probe?: Probe;
  /** In a database function or view: its name. */
  routine?: string;
};

export type Draft = Omit<Mutant, "id" | "line" | "from" | "file">;

/** Gives drafts their ids: equal changes in one file are numbered in their order. */
export function mutantsOf(file: string, source: string, drafts: readonly Draft[]): Mutant[] {
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

/** A text with all of these edits, which do not overlap. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let text = source;
  for (const edit of edits.toSorted((one, other) => other.start - one.start))
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  return text;
}

/** Splits mutants into sets in which no two change the same text. */
export function compatibleSets(mutants: readonly Mutant[]): Mutant[][] {
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
