import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { openLab } from "../../../support/lab.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();

/** Objects with this title or name at any depth of a response. */
function titled(answer: unknown, words: string): Record<string, unknown>[] {
  if (typeof answer !== "object" || answer === null) return [];
  const below = Object.values(answer).flatMap((part) => titled(part, words));
  const own = Object.values(answer).includes(words);
  return own && !Array.isArray(answer) ? [answer as Record<string, unknown>, ...below] : below;
}

it("a text outside of a topic names its course's language, and none without a course", async () => {
  const lab = await openLab(world, { due_at: "2100-01-01T00:00:00.000Z" });
  const { course, offering, university, learner, teacher, paper } = lab;
  const { db } = world.deps;
  await db.execute(sql`update courses set language_code = 'de', title = 'Wellen' where id = ${course.id}`);
  await db.execute(sql`
    insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name, issued_at)
    values (${learner.id}, ${offering.id}, 'told-code', 'Ada', 'Wellen', 'Northgate', now())`);
  const [mine, theirs] = [world.as(learner), world.as(teacher)];
  const administrator = world.as(await makersOf(world).holder("university_admin", university.id));
  const there = `/community/offerings/${offering.id}`;
  const { id: work } = (await lab.submit({ body: "Alles" }, learner, paper)).body;
  const card = { front: "Was schwingt?", back: "Die Luft.", content_item_id: paper.id };
  const made = [
    await lab.grade(work, 60),
    await lab.release(),
    await mine.post("/study/flashcards", card),
    await mine.post("/study/flashcards", { front: "What is air?", back: "Air." }),
    await mine.post("/study/notes", { content_item_id: paper.id, body: "Die Luft schwingt" }),
    await theirs.post(`${there}/threads`, { title: "Schwebungen", body: "Warum?" }),
    await theirs.post(`${there}/announcements`, { title: "Neuer Raum", body: "Raum sieben." }),
    await administrator.post(`/community/universities/${university.id}/announcements`, {
      ...{ title: "Holidays", body: "None." },
    }),
  ];
  expect(made.map(({ status }) => status)).toEqual([200, 200, 201, 201, 201, 201, 201, 201]);

  const answers: [path: string, words: string, language: string | null][] = [
    ["/users/me/home", "Wellen", "de"],
    [`/courses/${course.id}/offerings/${offering.id}/outline`, "Wellen", "de"],
    ["/users/me/notifications", "Wellen", "de"],
    [`${there}/threads`, "Schwebungen", "de"],
    [`/community/threads/${made[5]?.body.id}`, "Schwebungen", "de"],
    ["/community/announcements", "Neuer Raum", "de"],
    ["/community/announcements", "Holidays", null],
    [`/community/announcements/${made[6]?.body.id}`, "Neuer Raum", "de"],
    ["/assessments/certificates/mine", "Wellen", "de"],
    ["/study/flashcards", "Was schwingt?", "de"],
    ["/study/flashcards", "What is air?", null],
    ["/study/flashcards/due", "Was schwingt?", "de"],
    ["/study/search?q=Luft", paper.title, "de"],
  ];
  for (const [path, words, language] of answers) {
    const { status, body } = await mine.get(path);
    expect(status, path).toBe(200);
    const told = titled(body, words).map(({ language_code }) => language_code);
    expect(told.length, `${words} in ${path}`).toBeGreaterThan(0);
    expect(new Set(told), `${words} in ${path}`).toEqual(new Set([language]));
  }
});
