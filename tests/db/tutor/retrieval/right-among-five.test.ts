import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { measureLexicalRetrieval } from "../../../../lib/tutor/passages/measure-retrieval.ts";
import { seed } from "../../../../scripts/seed.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { textbook } from "./textbook.ts";

const world = openWorld();
const make = makersOf(world);

/** The scheduled measurements of each course with questions. */
async function measured() {
  await measureLexicalRetrieval(world.deps, new AbortController().signal);
  const { rows } = await world.deps.db.execute(sql`
    select course_id, asked, found from passage_measures
    where asked > 0 order by course_id`);
  return rows;
}

/**
 * A course of the textbook: one module per passage, with a page and a quiz of its questions in that wording.
 */
async function textbookAsked(way: 0 | 1): Promise<number> {
  const topic = await make.topic();
  for (const { title, passages } of textbook)
    for (const { text, asked } of passages) {
      const module = await make.module(topic.course.id);
      const page = { blocks: [{ type: "paragraph", text }] };
      await make.contentItem(module, topic.university.id, { title, data_json: page });
      const { pool } = await make.questionPool(topic.course, [
        { kind: "SHORT_ANSWER", question_text: asked[way] ?? "", answer_json: { texts: ["x"] } },
      ]);
      const quiz = { question_pool_id: pool.id };
      await make.contentItem(module, topic.university.id, { type: "quiz", data_json: quiz });
    }
  return topic.course.id;
}

it("finds the unit of five of the demonstration's seven questions, which are too few to say more than perhaps", async () => {
  await seed(world.deps.db, { now: new Date("2026-03-10T12:00:00Z"), bcryptCost: 4 });
  const courses = await measured();
  const sumOf = (key: "asked" | "found") => courses.reduce((sum, one) => sum + Number(one[key]), 0);
  expect([sumOf("asked"), sumOf("found")]).toEqual([7, 5]);
  expect(courses.every(({ asked }) => Number(asked) < 20)).toBe(true);
});

it("finds the passage of a small textbook among five: nearly always in the book's words, and mostly in the learner's own", async () => {
  const [book, own] = [await textbookAsked(0), await textbookAsked(1)];
  const found = (await measured()).filter(({ course_id }) => course_id === book || course_id === own);
  console.info("right passages among five, by words alone:", JSON.stringify(found));
  expect(found).toEqual([
    { course_id: book, asked: 30, found: expect.toSatisfy((n: number) => n >= 29) },
    {
      course_id: own,
      asked: 30,
      found: expect.toSatisfy((n: number) => n >= 15),
    },
  ]);
});
