import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { follow, headed, press, saved } from "./steps.ts";

/** Browsers log rejections with these statuses; everything else is a complaint. */
export const isRefusal = (complaint: string): boolean =>
  complaint.includes("400") || complaint.includes("422");

const focused = (page: Page) => page.evaluate<string>("document.activeElement?.textContent");

/** From the list of courses: creates a course. The service's errors appear at their fields. */
export async function createCourse(page: Page, code: string): Promise<void> {
  await follow(page, "Write courses");
  // The previous screen lists taught courses under the same titles.
  await headed(page, "Courses");
  await headed(page, "Introduction to Signals");
  expect(await violationsOnEachSize(page)).toEqual([]);
  await follow(page, "New course");
  await page.getByLabel("Title").fill("Waves");
  await page.getByLabel("Code").fill("EE-101");
  await page.getByLabel("Level").selectOption("Introductory");
  await press(page, "Create the course");
  await page.getByText("Code “EE-101” is already taken").waitFor();
  await page.locator("[name=code]:focus").waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
  await page.getByLabel("Code").fill(code);
  await press(page, "Create the course");
  await headed(page, "Waves");
}

/** Two modules: moves the second up by keyboard and down by pointer, renames and publishes it. */
export async function writeModules(page: Page): Promise<void> {
  for (const title of ["Strings", "Pipes"]) {
    await page.getByLabel("Title").fill(title);
    await press(page, "Add the module");
    await headed(page, title);
    await expect.poll(() => focused(page)).toBe(title);
  }
  const titles = page.getByRole("heading", { level: 3 });
  await page.getByRole("button", { name: "Move Pipes up" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => titles.allInnerTexts()).toEqual(["Pipes", "Strings"]);
  await page.getByText("Pipes is now number 1 of 2").waitFor();
  await expect
    .poll(() => page.evaluate("document.activeElement?.querySelector('.unseen')?.textContent"))
    .toBe("Move Pipes down");
  const pipes = page.getByRole("article", { name: "Pipes" });
  const strings = page.getByRole("article", { name: "Strings" });
  await pipes.locator(".grip").first().dragTo(strings.locator(".grip").first());
  await expect.poll(() => titles.allInnerTexts()).toEqual(["Strings", "Pipes"]);
  await pipes.getByText("Edit").click();
  await pipes.getByLabel("Title").fill("Open pipes");
  await pipes.getByLabel("In the module").selectOption("Strings");
  await press(page, "Save");
  const below = strings.getByRole("article", { name: "Open pipes" });
  await below.waitFor();
  await press(page, "Publish Strings");
  await press(page, "Publish Open pipes");
  await below.getByText("published", { exact: true }).waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
}

export async function writeQuestions(page: Page): Promise<void> {
  await follow(page, "Questions");
  await page.getByLabel("Title").fill("Waves, first questions");
  await press(page, "Create the pool");
  await page.getByText("No questions yet. Add the first one below.").waitFor();
  await page.getByLabel("Question", { exact: true }).fill("What does a wave carry?");
  await page.getByLabel("Option 1").fill("Matter");
  await page.getByLabel("Option 2").fill("Energy");
  await page.getByRole("radio", { name: "Right" }).nth(1).check();
  await press(page, "Add the question");
  await page.locator(".stack").getByText("What does a wave carry?").waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
  await follow(page, "Content");
}

type Written = {
  kind: string;
  title: string;
  write: (page: Page) => Promise<void>;
  preview: string;
  /** Has the same fields as earlier ones, so one accessibility check is enough. */
  isAlike?: true;
};

const items: Written[] = [
  {
    ...{ kind: "Text", title: "What a wave is", preview: "A wave moves." },
    async write(page) {
      const text = page.getByRole("textbox", { name: "Text", exact: true });
      await text.pressSequentially("A wave ");
      await press(page, "Bold");
      await text.pressSequentially("moves");
      await press(page, "Bold");
      await text.pressSequentially(". ");
      await press(page, "Formula");
      await page.getByLabel("Formula in LaTeX").pressSequentially("v = \\lambda f");
      await page.keyboard.press("Enter");
      await press(page, "Link");
      const address = page.getByLabel("Address", { exact: true });
      await address.fill("javascript:alert(1)");
      await press(page, "Set link");
      expect(await address.getAttribute("aria-invalid")).toBe("true");
      await address.fill("https://waves.example/");
      await press(page, "Set link");
    },
  },
  {
    ...{ isAlike: true, kind: "Video", title: "A rope", preview: "Look at the rope." },
    async write(page) {
      await page.getByText("Edit the transcript").click();
      await press(page, "Add a passage");
      await page.getByLabel("From second").fill("1.5");
      await page.getByLabel("Text", { exact: true }).fill("Look at the rope.");
    },
  },
  {
    ...{ kind: "Quiz", title: "What you know of waves", preview: "Practice · 1 question" },
    async write(page) {
      await page.getByLabel("Question pool").selectOption("Waves, first questions");
      await page.getByLabel("Mode").selectOption("Practice");
      await page.getByLabel("Questions per attempt").fill("1");
    },
  },
  {
    ...{ kind: "Lab", title: "Measure a wave", preview: "measure.py" },
    async write(page) {
      await page.getByLabel("Runs on").fill("python");
      await press(page, "Add a file");
      await page.getByLabel("Path").fill("measure.py");
    },
  },
  {
    ...{ isAlike: true, kind: "Assignment", title: "A wave of your own", preview: "Draw a wave." },
    async write(page) {
      await page.getByRole("textbox", { name: "Instructions" }).fill("Draw a wave.");
      await page.getByLabel("Points", { exact: true }).fill("12.5");
      await page.getByLabel("Criteria, one per line").fill("Its length\nIts height");
    },
  },
  {
    ...{ isAlike: true, kind: "Resources", title: "Further reading", preview: "A book" },
    async write(page) {
      await press(page, "Add a link");
      await page.getByLabel("Link text").fill("A book");
      await page.getByLabel("Address").fill("https://books.example/");
    },
  },
];

export const writtenTitles = items.map(({ title }) => title);

/** An item of each of the six kinds, previewed and published. */
export async function writeItems(page: Page): Promise<void> {
  for (const { kind, title, write, preview, isAlike } of items) {
    const module = page.getByRole("article", { name: "Strings" });
    await module.getByText("Add content").first().click();
    await module.getByLabel("Title").fill(title);
    await module.getByLabel("Kind").selectOption(kind);
    await press(page, "Create");
    await headed(page, title);
    await write(page);
    await page.getByRole("region", { name: "What learners see" }).getByText(preview).first().waitFor();
    await press(page, "Save");
    await saved(page);
    await press(page, "Publish");
    await page.getByRole("button", { name: "Withdraw" }).waitFor();
    if (!isAlike) expect(await violationsOnEachSize(page)).toEqual([]);
    await follow(page, "← Back to the course");
    await page.getByRole("link", { name: title }).waitFor();
  }
  await press(page, `Move ${items[0]?.title} down`);
  await page.getByText(`${items[0]?.title} is now number 2 of 6`).waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
}

/** Publishes the course and offers it to everyone. */
export async function offerCourse(page: Page): Promise<void> {
  await follow(page, "Settings");
  await page.getByLabel("Published: learners see the course").check();
  expect(await violationsOnEachSize(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).first().click();
  await saved(page);
  await follow(page, "Offerings");
  await page.getByLabel("Begins").fill("2026-03-02T09:00");
  await page.getByLabel("Ends").fill("2026-03-01T09:00");
  await page.getByLabel("Listed").selectOption("public");
  await page.getByLabel("Seats").fill("30");
  await press(page, "Create the offering");
  await page.locator("[aria-invalid=true]").waitFor();
  await page.getByLabel("Ends").fill("2036-03-01T09:00");
  await press(page, "Create the offering");
  await page.getByRole("link", { name: "Go to the class" }).waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
}

/** A learner finds the course in the catalog, enrolls and sees its content. */
export async function takeCourse(page: Page): Promise<void> {
  await follow(page, "Catalog");
  await press(page, "Enroll in Waves");
  await headed(page, "Strings");
  expect((await page.locator(".what a").allInnerTexts()).toSorted()).toEqual(writtenTitles.toSorted());
  await follow(page, items[0]?.title ?? "");
  await page.locator("math").waitFor();
  expect(await page.locator(".prose strong").innerText()).toBe("moves");
}
