import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { png } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";
import { chosen, isDrawn } from "./files.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("pictures in questions, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);
  beforeAll(() => world.setNow(new Date()));

  it("are added by a teacher, and shown in the question", async () => {
    const university = await make.university();
    const course = await make.course(university.id);
    const teacher = await make.holder("instructor", university.id);
    const { body: pool } = await world.as(teacher).post("/assessments/question-pools", {
      university_id: university.id,
      course_id: course.id,
      title: "Waves",
    });
    const { page } = await visitAs(world, browser, teacher, `authoring/${course.id}/questions/${pool.id}`);
    const form = page.getByRole("region", { name: "A new question" });
    await form.getByLabel("Kind of answer").selectOption("TRUE_FALSE");
    const words = form.locator("textarea");
    await words.fill("Is this a wave?");
    await form
      .getByRole("group", { name: "Add a picture" })
      .getByLabel("Choose a file")
      .setInputFiles(chosen({ name: "wave.png", type: "image/png", bytes: png }));
    await expect.poll(() => words.inputValue()).toMatch(/^Is this a wave\?\n\n!\[wave\]\(file:\d+\)\n$/);
    await press(page, "Add the question");
    const picture = page.getByRole("img", { name: "wave" });
    await picture.waitFor();
    await expect.poll(() => isDrawn(picture)).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
  });
});
