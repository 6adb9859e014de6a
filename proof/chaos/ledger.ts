import type { Question } from "../../schema/question.ts";

/** An answer as delivered to a learner. `name` is the learner's name of the message, if known. */
export type DeliveredAnswer = { session: number; message: number; text: string; name?: string };

/** Actions and observations of all participants. */
export class ChaosLedger {
  readonly counts = new Map<string, number>();
  readonly violations: string[] = [];
  readonly told = new Map<number, DeliveredAnswer>();
  /** The learners' names of messages. */
  readonly sent = new Set<string>();
  /** Instructors' texts with acknowledged storage, and those replaced or deleted. */
  readonly pinned = new Set<string>();
  readonly dropped = new Set<string>();
  /** Pins confirmed for another question, or for none. */
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

  /** Records a delivered answer, which must be the same each time. */
  tell(told: DeliveredAnswer): void {
    const before = this.told.get(told.message);
    if (before && before.text !== told.text)
      this.violated(
        `Answer ${told.message} was told as ${quoteAbbreviated(before.text)}, and again as ${quoteAbbreviated(told.text)}`,
      );
    this.told.set(told.message, { ...before, ...told });
  }
}

export const quoteAbbreviated = (text: string): string =>
  JSON.stringify(text.length > 90 ? `${text.slice(0, 60)} … ${text.slice(-30)}` : text);
