import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";
import { press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("a rubric in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  beforeAll(() => world.setNow(new Date()));

  it("is written by an author, chosen from by a grader, and read by the learner", async () => {
    const lab = await openLab(world);
    const route = `${lab.course.id}/${lab.offering.id}`;
    const { page } = await visitAs(
      world,
      browser,
      lab.teacher,
      `authoring/${lab.course.id}/items/${lab.paper.id}`,
    );
    await press(page, "Add a criterion");
    const rubric = page.getByRole("group", { name: "Rubric" });
    await rubric.getByLabel("Title").first().fill("The argument");
    await rubric.getByRole("button", { name: "Add a level" }).click();
    const levels = rubric.getByRole("group", { name: "Levels" });
    for (const [at, title, points] of [
      [0, "Clear", "60.5"],
      [1, "Hard to follow", "20"],
    ] as const) {
      await levels.getByLabel("Title").nth(at).fill(title);
      await levels.getByLabel("Points").nth(at).fill(points);
    }
    await press(page, "Save");
    await saved(page);
    expect(await violationsOf(page)).toEqual([]);

    const { id } = (await lab.submit({ body: "So it follows" }, lab.learner, lab.paper)).body;
    const grader = await visitAs(world, browser, lab.assistant, `teaching/${route}/submissions/${id}`);
    await grader.page.getByLabel("Clear: 60.5 points").check();
    await grader.page.getByLabel("Comment on The argument").fill("Mind the third step");
    const points = grader.page.getByLabel(/^Points, up to \d+$/);
    await expect.poll(() => points.inputValue()).toBe("60.5");
    expect(await violationsOf(grader.page)).toEqual([]);
    await press(grader.page, "Save the grade");
    await grader.page.getByText("60.5 of 80 points").waitFor();
    await grader.page.getByRole("region", { name: "Rubric" }).getByText("Mind the third step").waitFor();

    await lab.release();
    const own = await visitAs(world, browser, lab.learner, `courses/${route}/${lab.paper.id}`);
    await own.page.getByText("Hard to follow: 20 points").waitFor();
    await own.page.getByRole("region", { name: "Rubric" }).getByText("60.5 of 60.5").waitFor();
    expect(await violationsOf(own.page)).toEqual([]);
    expect([...own.complaints, ...grader.complaints]).toEqual([]);
  });
});
