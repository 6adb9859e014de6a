import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { textbook } from "./textbook.ts";

const world = openWorld();
const make = makersOf(world);

/** Which of the passages that are offered to words is the one that answers them, counted from 1; undefined for none. */
async function rankIn(course: number, person: number, words: string, title: string, block: number) {
  const { rows } = await world.deps.db.execute<{ title: string; place: { block: number } }>(sql`
    select title, place from search_passages(${course}::int, ${person}::int, now(), ${words}, 5) order by score desc`);
  const at = rows.findIndex((one) => one.title === title && one.place.block === block);
  return at < 0 ? undefined : at + 1;
}

it("finds the passage of a small textbook among five: nearly always in the book's words, and mostly in the learner's own", async () => {
  const topic = await make.topic();
  const person = await make.person();
  await make.enrollment(person.id, topic.offering.id);
  for (const { title, passages } of textbook)
    await make.contentItem(topic.module, topic.university.id, {
      title,
      data_json: { blocks: passages.map(({ text }) => ({ type: "paragraph", text })) },
    });
  const ranks: Record<"book" | "own", (number | undefined)[]> = { book: [], own: [] };
  for (const { title, passages } of textbook)
    for (const [at, { asked }] of passages.entries())
      for (const [way, words] of asked.entries())
        ranks[way === 0 ? "book" : "own"].push(
          await rankIn(topic.course.id, person.id, words, title, at + 1),
        );
  const share = (of: (number | undefined)[], most: number) =>
    of.filter((rank) => rank !== undefined && rank <= most).length / of.length;
  const measured = {
    questions: ranks.book.length + ranks.own.length,
    book: { first: share(ranks.book, 1), among_five: share(ranks.book, 5) },
    own: { first: share(ranks.own, 1), among_five: share(ranks.own, 5) },
  };
  console.info("right passages, by words alone:", JSON.stringify(measured));
  expect(measured.questions).toBe(60);
  expect(measured.book.among_five).toBeGreaterThanOrEqual(0.95);
  expect(measured.own.among_five).toBeGreaterThanOrEqual(0.5);
});
