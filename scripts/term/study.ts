import { type Item, isTrue } from "./campus.ts";
import { type Caller, signIn } from "./client.ts";
import type { Day } from "./days.ts";
import { handIn } from "./labs.ts";
import type { Ledger, Place } from "./ledger.ts";
import type { Learner } from "./people.ts";
import { holdHome } from "./screens.ts";
import type { Service } from "./service.ts";

export type Today = { service: Service; ledger: Ledger; day: Day; week: number };

/** A learner's day: home, what comes next in each course, now and then a word to the class. */
export async function study(today: Today, learner: Learner): Promise<void> {
  const caller = await signIn(today.service, learner.email);
  await holdHome(today, caller, learner);
  for (const place of today.ledger.placesOf(learner)) {
    if (place.status !== "ACTIVE") continue;
    if (learner.temper.drops && today.week >= learner.temper.lastWeek) continue;
    await work(today, caller, place);
    if (learner.dice.chance(0.04)) await speakUp(today, caller, place);
  }
}

/** What a learner may work with now and has not done, in the order of the course. */
export function openItems({ ledger, day }: Pick<Today, "ledger" | "day">, place: Place): Item[] {
  const { course } = place.run;
  const left = course.items.filter((item) => !place.doneOn.has(item));
  // One module after the other: what is not done in the first of them closes the rest.
  const reached = course.isInTurn ? left.filter((item) => item.module === left[0]?.module) : left;
  return reached.filter((item) => item.opensOn <= day && !ledger.waits(place, item));
}

async function work(today: Today, caller: Caller, place: Place): Promise<void> {
  const { learner } = place;
  for (let done = 0; done < learner.temper.effort; done += 1) {
    const [item] = openItems(today, place).filter((one) => !hasFailed(place, one));
    if (!item || place.status !== "ACTIVE") return;
    if (item.kind === "quiz") await takeQuiz(today, caller, place, item);
    else if (item.kind === "engineering_lab") await handIn(today, caller, place, item);
    else await read(today, caller, place, item);
  }
}

async function read({ ledger, day }: Today, caller: Caller, place: Place, item: Item): Promise<void> {
  const { learner, run } = place;
  const isHalf = !place.percents.has(item) && learner.dice.chance(0.3);
  const percent = isHalf ? 50 : 100;
  await caller.post("/progress/content", {
    content_item_id: item.id,
    course_offering_id: run.id,
    progress_percent: percent,
  });
  ledger.activities.push({ day, learner, run, item });
  ledger.progress(place, item, percent, day);
}

/** The attempts that someone failed, by the item. */
const failed = new WeakMap<Place, Map<Item, number>>();

const hasFailed = (place: Place, item: Item): boolean => (failed.get(place)?.get(item) ?? 0) >= 2;

async function takeQuiz({ ledger, day }: Today, caller: Caller, place: Place, item: Item): Promise<void> {
  const { learner, run } = place;
  const attempt = await caller.post(`/assessments/offerings/${run.id}/quizzes/${item.id}/attempts`);
  const wrong = Math.floor(learner.dice.between(0, 2.6));
  const responses = attempt.questions.map(
    (asked: { question_id: number; question_text: string }, index: number) => ({
      question_id: asked.question_id,
      response: index < wrong ? !isTrue(asked.question_text) : isTrue(asked.question_text),
    }),
  );
  const graded = await caller.post(`/assessments/attempts/${attempt.id}/submit`, { responses });
  const score = 4 - wrong;
  const passed = score >= 3;
  ledger.hold(
    `A quiz of ${run.course.code}`,
    [graded.score_obtained, graded.max_score, graded.passed],
    [score, 4, passed],
  );
  ledger.attempts.push({ place, item, day, score, most: 4, passed });
  for (let events = 0; events < 2; events += 1) ledger.activities.push({ day, learner, run, item });
  if (passed) return ledger.progress(place, item, 100, day);
  const fails = failed.get(place) ?? new Map<Item, number>();
  failed.set(place, fails.set(item, (fails.get(item) ?? 0) + 1));
}

/** A question to the class, an answer to it, and a note for oneself. */
async function speakUp({ ledger, day }: Today, caller: Caller, { learner, run }: Place): Promise<void> {
  const thread = await caller.post(`/community/offerings/${run.id}/threads`, {
    title: "A question",
    body: "Why so?",
  });
  await caller.post(`/community/threads/${thread.id}/posts`, { body: "I see it now." });
  const [item] = run.course.items;
  if (item) await caller.post("/study/notes", { content_item_id: item.id, body: "Think of it again" });
  ledger.threads += 1;
  ledger.posts += 2;
  ledger.notes += 1;
  for (let events = 0; events < 2; events += 1) ledger.activities.push({ day, learner, run });
}
