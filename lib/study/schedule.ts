import { fsrs, Rating, type State } from "ts-fsrs";
import type { FlashcardRating, FlashcardState } from "../../schema/enums.ts";

/** What FSRS keeps of a card; moments in ISO 8601. */
export type Memory = {
  state: Uppercase<FlashcardState>;
  due: string;
  stability: number;
  difficulty: number;
  elapsed_days: number;
  scheduled_days: number;
  learning_steps: number;
  reps: number;
  lapses: number;
  last_review: string | null;
};

/** In FSRS's numbers, which are the places here. */
const states = ["NEW", "LEARNING", "REVIEW", "RELEARNING"] as const satisfies Uppercase<FlashcardState>[];

const grades = { AGAIN: Rating.Again, HARD: Rating.Hard, GOOD: Rating.Good, EASY: Rating.Easy } as const;

/**
 * The parameters that the authors of FSRS found over many learners, for a card to be remembered nine times out of ten.
 * Without chance in the intervals: whoever computes a review again finds the same.
 */
const scheduler = fsrs({ request_retention: 0.9, enable_fuzz: false });

/**
 * The memory of a card after it was reviewed at that moment with that success. Where the clock that wrote its last review
 * went before ours, this one comes right after that.
 */
export function reviewed(before: Memory, rating: Uppercase<FlashcardRating>, now: Date): Memory {
  const { card } = scheduler.next(
    { ...before, state: states.indexOf(before.state) as State },
    new Date(Math.max(now.getTime(), Date.parse(before.last_review ?? now.toISOString()))),
    grades[rating],
  );
  const { state, due, last_review, ...memory } = card;
  return {
    ...memory,
    state: states[state],
    due: due.toISOString(),
    last_review: last_review?.toISOString() ?? null,
  };
}
