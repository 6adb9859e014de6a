import type { Question } from "../../schema/question.ts";

/** An answer as its learner was told it. `name` is what the learner called the message, where that is known. */
export type Told = { session: number; message: number; text: string; name?: string };

/** What was done and seen in a run, by all who take part. */
export class Ledger {
  readonly counts = new Map<string, number>();
  readonly violations: string[] = [];
  /** By the number of the answer. */
  readonly told = new Map<number, Told>();
  /** What learners called their messages. */
  readonly sent = new Set<string>();
  /** Texts of instructors that the service said it had stored, and those that were to give way to others, or to go. */
  readonly pinned = new Set<string>();
  readonly dropped = new Set<string>();
  /** Pins that were to hold for another question, which may be none. */
  readonly confirmed: { text: string; asked: Question | null }[] = [];

  count(what: string, by = 1): void {
    this.counts.set(what, this.counted(what) + by);
  }

  counted(what: string): number {
    return this.counts.get(what) ?? 0;
  }

  violated(rule: string): void {
    if (!this.violations.includes(rule)) this.violations.push(rule);
  }

  /** Notes what a learner was told; it is the same each time. */
  tell(told: Told): void {
    const before = this.told.get(told.message);
    if (before && before.text !== told.text)
      this.violated(
        `Answer ${told.message} was told as ${quoted(before.text)}, and again as ${quoted(told.text)}`,
      );
    this.told.set(told.message, { ...before, ...told });
  }
}

export const quoted = (text: string): string =>
  JSON.stringify(text.length > 90 ? `${text.slice(0, 60)} … ${text.slice(-30)}` : text);
