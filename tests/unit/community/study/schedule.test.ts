import { describe, expect, it } from "vitest";
import {
  type FlashcardMemoryState,
  memoryStateAfterReview,
} from "../../../../lib/community/study/flashcard-scheduling.ts";

const noon = new Date("2022-12-29T12:30:00.000Z");
const day = 86_400_000;

const fresh: FlashcardMemoryState = {
  state: "NEW",
  due: noon.toISOString(),
  stability: 0,
  difficulty: 0,
  elapsed_days: 0,
  scheduled_days: 0,
  learning_steps: 0,
  reps: 0,
  lapses: 0,
  last_review: null,
};

describe("the schedule of a card, against the reference vectors of FSRS-6", () => {
  it("has the published intervals, in days, for reviews on their due date", () => {
    const ratings = "GOOD GOOD GOOD GOOD GOOD GOOD AGAIN AGAIN GOOD GOOD GOOD GOOD GOOD".split(" ");
    const intervals: number[] = [];
    let card = fresh;
    for (const rating of ratings) {
      card = memoryStateAfterReview(card, rating as "GOOD" | "AGAIN", new Date(card.due));
      intervals.push(card.scheduled_days);
    }
    expect(intervals).toEqual([0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21]);
    expect(card).toMatchObject({ state: "REVIEW", reps: 13, lapses: 1 });
  });

  it("ends with the published stability and difficulty", () => {
    const ratings = ["AGAIN", "GOOD", "GOOD", "GOOD", "GOOD", "GOOD"] as const;
    const pauses = [0, 0, 1, 3, 8, 21];
    let card = fresh;
    let now = noon.getTime();
    for (const [at, rating] of ratings.entries()) {
      now += (pauses[at] ?? 0) * day;
      card = memoryStateAfterReview(card, rating, new Date(now));
    }
    expect(card.stability).toBeCloseTo(53.62691, 4);
    expect(card.difficulty).toBeCloseTo(6.3574867, 4);
  });

  it("treats a review with an earlier time than the one before as immediately after it", () => {
    const once = memoryStateAfterReview(fresh, "GOOD", noon);
    expect(memoryStateAfterReview(once, "GOOD", new Date(noon.getTime() - 2 * day))).toEqual(
      memoryStateAfterReview(once, "GOOD", noon),
    );
  });

  it("is the same however often it is computed", () => {
    expect(memoryStateAfterReview(fresh, "EASY", noon)).toEqual(memoryStateAfterReview(fresh, "EASY", noon));
  });
});
