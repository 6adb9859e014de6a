import { readFile } from "node:fs/promises";
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
    const form = page.getByRole("region", { name: "New question" });
    await form.getByLabel("Question type").selectOption("TRUE_FALSE");
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

  it("are exported as QTI, imported with it, and tried with a sample file", async () => {
    const university = await make.university();
    const course = await make.course(university.id);
    const teacher = await make.holder("instructor", university.id);
    const { body: pool } = await world.as(teacher).post("/assessments/question-pools", {
      ...{ university_id: university.id, course_id: course.id, title: "Waves" },
    });
    const screen = `authoring/${course.id}/questions/${pool.id}`;
    const { page, complaints } = await visitAs(world, browser, teacher, screen);
    const downloaded = async (button: string) => {
      const download = page.waitForEvent("download");
      await press(page, button);
      return readFile(await (await download).path());
    };
    const importZip = async (name: string, buffer: Buffer) => {
      await page.getByLabel("Files").setInputFiles({ name, mimeType: "application/zip", buffer });
      await page.getByLabel("Dry run").uncheck();
      await press(page, "Start");
    };
    await page.getByText("Import questions").click();
    await importZip("sample.zip", await downloaded("QTI 2 (ZIP)"));
    const status = page.getByRole("status");
    await status.getByText("The import 1 new, 0 already there, 0 faulty").waitFor();
    const dot = page.getByRole("img", { name: "A dot" });
    await expect.poll(() => isDrawn(dot)).toBe(true);
    await importZip("again.zip", await downloaded("Export as QTI"));
    await status.getByText("The import 0 new, 1 already there, 0 faulty").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
