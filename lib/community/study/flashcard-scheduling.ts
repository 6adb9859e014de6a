import { fsrs, Rating, type State } from "ts-fsrs";
import type { FlashcardRating, FlashcardState } from "../../../schema/enums.ts";

/** A card's FSRS state; times in ISO 8601. */
export type FlashcardMemoryState = {
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

/** By FSRS's numbers, which are the indexes here. */
const states = ["NEW", "LEARNING", "REVIEW", "RELEARNING"] as const satisfies Uppercase<FlashcardState>[];

const grades = { AGAIN: Rating.Again, HARD: Rating.Hard, GOOD: Rating.Good, EASY: Rating.Easy } as const;

/** FSRS's defaults, for a 90 % chance of recall. No random intervals: results are reproducible. */
const scheduler = fsrs({ request_retention: 0.9, enable_fuzz: false });

/** If clock skew puts the last review in the future, this one follows immediately. */
export function memoryStateAfterReview(
  before: FlashcardMemoryState,
  rating: Uppercase<FlashcardRating>,
  now: Date,
): FlashcardMemoryState {
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
