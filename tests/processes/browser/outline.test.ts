import { beforeEach, describe, expect, it } from "vitest";
import { openQuiz } from "../../api/assessment/exam.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("an outline in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  beforeEach(() => world.setNow(new Date()));

  it("shows a quiz's attempt and its result", async () => {
    const quiz = await openQuiz(world, { mastery: { max_attempts: 2, points: 5 }, passing_percent: 50 });
    const { page, complaints } = await visitAs(
      world,
      browser,
      quiz.learner,
      `courses/${quiz.course.id}/${quiz.offering.id}`,
    );
    const line = page.getByRole("listitem").filter({ hasText: quiz.item.title }).last();
    await line.waitFor();
    expect(await line.getByText(/Attempt/).count()).toBe(0);

    const lineAfter = async (words: string) => {
      await page.reload();
      await expect.poll(() => line.locator("small").allInnerTexts()).toContain(words);
    };
    const first = (await quiz.start()).body;
    await lineAfter("Attempt 1 of 2 · in progress");
    await quiz.submit(first.id, quiz.right.slice(0, 1));
    await lineAfter("Attempt 1 of 2 · not passed · 1 point");
    const second = (await quiz.start()).body;
    await lineAfter("Attempt 2 of 2 · in progress");
    await quiz.submit(second.id, quiz.right);
    await lineAfter("Attempt 2 of 2 · passed · 5 points");
    expect(await violationsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("shows that work awaits a grade or was returned, and its score", async () => {
    const lab = await openLab(world);
    const { page } = await visitAs(
      world,
      browser,
      lab.learner,
      `courses/${lab.course.id}/${lab.offering.id}`,
    );
    const line = page.getByRole("listitem").filter({ hasText: lab.paper.title }).last();
    const lineAfter = async (words: string) => {
      await page.reload();
      await expect.poll(() => line.locator("small").allInnerTexts()).toContain(words);
    };
    const first = (await lab.submit({ body: "A first try" }, lab.learner, lab.paper)).body;
    await lineAfter("Attempt 1 · awaiting grade");
    await lab.giveBack(first.id, "Once more, please");
    await lineAfter("Attempt 1 · returned");
    const second = (await lab.submit({ body: "A better try" }, lab.learner, lab.paper)).body;
    // A returned attempt does not count: the next one gets its number.
    await lineAfter("Attempt 1 · awaiting grade");
    expect((await lab.grade(second.id, 1)).status).toBe(200);
    // The score appears once it is released.
    await lineAfter("Attempt 1 · graded");
    expect((await lab.release({ content_item_ids: [lab.paper.id] })).status).toBe(200);
    await lineAfter("Attempt 1 · graded · 1 point");
  });
});
