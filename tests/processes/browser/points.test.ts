import { beforeEach, describe, expect, it } from "vitest";
import { openQuiz } from "../../api/assessment/exam.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";
import { press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("points that change after grading, in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  beforeEach(() => world.setNow(new Date()));

  it("ask whether to scale the scores, and are saved after the choice", async () => {
    const quiz = await openQuiz(world, { mastery: { points: 10 } });
    const { id } = (await quiz.start()).body;
    await quiz.submit(id, quiz.right.slice(0, 2));
    const gradebook = `/assessments/offerings/${quiz.offering.id}/gradebook`;
    const score = async () => (await world.as(quiz.teacher).get(gradebook)).body.rows[0].cells[0].score;
    expect(await score()).toBe(4);
    const { page } = await visitAs(
      world,
      browser,
      quiz.teacher,
      `authoring/${quiz.course.id}/items/${quiz.item.id}`,
    );
    const points = page.getByRole("textbox", { name: "Points", exact: true });
    const asked = page.getByLabel("Existing scores");
    await points.waitFor();
    expect(await asked.count()).toBe(0);
    await points.fill("20");
    await asked.waitFor();
    await press(page, "Save");
    await page.getByText("Set rescale to true").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await asked.selectOption("Scale them to the new points");
    await press(page, "Save");
    await saved(page);
    expect(await asked.count()).toBe(0);
    expect(await score()).toBe(8);
  });

  it("ask for an assignment too, whose scores stay if chosen", async () => {
    const lab = await openLab(world);
    const { id } = (await lab.submit({ body: "All of it" }, lab.learner, lab.paper)).body;
    expect((await lab.grade(id, 60)).status).toBe(200);
    const { page } = await visitAs(
      world,
      browser,
      lab.teacher,
      `authoring/${lab.course.id}/items/${lab.paper.id}`,
    );
    const points = page.getByRole("textbox", { name: "Points", exact: true });
    const asked = page.getByLabel("Existing scores");
    await points.waitFor();
    await points.fill("100");
    await asked.waitFor();
    // Unchanged points need no confirmation.
    await points.fill("80");
    await asked.waitFor({ state: "detached" });
    await points.fill("100");
    await asked.selectOption("Leave them unchanged");
    await press(page, "Save");
    await saved(page);
    expect(await asked.count()).toBe(0);
    const { body } = await world.as(lab.teacher).get(`/assessments/submissions/${id}`);
    expect(body).toMatchObject({ score_obtained: 60, max_score: 100 });
  });
});
