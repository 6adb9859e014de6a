import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { follow, handsOn, headed, press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("an author's day, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  it("creates a class in the catalog from nothing in 16 presses, choices and fields, with 25 as the limit", async () => {
    const university = await make.university();
    await make.term(university.id, { name: "Spring", starts_on: "2036-02-01", ends_on: "2036-06-30" });
    await make.term(university.id, { name: "Autumn", starts_on: "2036-09-01", ends_on: "2036-12-18" });
    const author = await make.holder("instructor", university.id);
    const { page, complaints } = await visitAs(world, browser, author, "");
    const hands = handsOn(page);
    await hands.follow("Teaching");
    await headed(page, "Teaching");
    await hands.follow("Write courses");
    await headed(page, "Courses");
    await hands.follow("New course");
    await headed(page, "New course");
    await hands.type("Title", "Waves");
    await hands.type("Code", "EE-150");
    await hands.press("Create the course");
    await headed(page, "Waves");
    await hands.type("Title", "Strings");
    await hands.press("Add the module");
    await headed(page, "Strings");
    const strings = hands.within(page.getByRole("article", { name: "Strings" }));
    await strings.open("Add content");
    await strings.type("Title", "What a wave is");
    await strings.choose("Kind", "Text");
    await strings.press("Create");
    await headed(page, "What a wave is");
    await hands.type("Text", "A wave moves.");
    await hands.press("Save");
    await page.getByText("Saved", { exact: true }).waitFor();
    await hands.follow("← Back to the course");
    await headed(page, "Offer this course");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await hands.press("Publish and offer");
    await page.getByRole("link", { name: "Go to the class" }).waitFor();
    expect(hands.count()).toBeLessThanOrEqual(16);

    const learner = await visitAs(world, browser, await make.person(), "catalog");
    await press(learner.page, "Enroll in Waves");
    await headed(learner.page, "Strings");
    await learner.page.getByRole("link", { name: "What a wave is" }).waitFor();

    await follow(page, "Offerings");
    await runAsLongAsTerm(page);
    await follow(page, "Content");
    await copyAndChangeMuch(page);
    await seeAsLearner(page);
    expect([...complaints, ...learner.complaints]).toEqual([]);
  });
});

/** From a course's offerings: the term suggests its days, and typed values remain until requested. */
async function runAsLongAsTerm(page: Page): Promise<void> {
  const [begins, ends] = [page.getByLabel("Begins"), page.getByLabel("Ends")];
  const days = async () => [await begins.inputValue(), await ends.inputValue()];
  const term = page.getByRole("combobox", { name: "Term", exact: true });
  await term.selectOption("Spring");
  await page.getByText("It begins and ends with the term", { exact: false }).waitFor();
  expect(await days()).toEqual(["2036-02-01T00:00", "2036-06-30T23:59"]);
  await ends.fill("2036-05-31T12:00");
  await term.selectOption("Autumn");
  const take = page.getByRole("button", { name: "Use the term's dates" });
  await take.waitFor();
  expect(await days()).toEqual(["2036-09-01T00:00", "2036-05-31T12:00"]);
  expect(await violationsOnEachSize(page)).toEqual([]);
  await take.click();
  await take.waitFor({ state: "detached" });
  expect(await days()).toEqual(["2036-09-01T00:00", "2036-12-18T23:59"]);
  await press(page, "Create the offering");
  await page.getByRole("heading", { name: "Autumn" }).waitFor();
  expect(await days()).toEqual(["2036-09-01T00:00", "2036-12-18T23:59"]);
}

/** From a course's outline: copies an item and a module, and hides and dates several items together. */
async function copyAndChangeMuch(page: Page): Promise<void> {
  await press(page, "Copy What a wave is");
  await page.getByRole("link", { name: "What a wave is (copy)" }).waitFor();
  await press(page, "Copy Strings");
  await headed(page, "Strings (copy)");
  const copy = page.getByRole("article", { name: "Strings (copy)" });
  await copy.getByText("draft", { exact: true }).first().waitFor();

  await press(page, "Edit several");
  await page.getByRole("checkbox", { name: "Select Strings (copy)" }).check();
  await page.getByRole("checkbox", { name: "Select What a wave is (copy)" }).first().check();
  await page.getByText("2 selected.").waitFor();
  await press(page, "Preview changes");
  const trial = page.getByRole("region", { name: /\d changes?$/ });
  await trial.getByText("draft → published").first().waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
  await press(page, "Apply");
  await page.getByText("0 selected.").waitFor();
  await copy.getByText("published", { exact: true }).first().waitFor();

  await page.getByRole("checkbox", { name: "Select Strings", exact: true }).check();
  await page.getByLabel("Action").selectOption("Set dates");
  await page.getByLabel("Due at").last().fill("2036-03-01T18:00");
  await press(page, "Preview changes");
  await trial
    .getByText(/due Mar 1, 2036/)
    .first()
    .waitFor();
  await press(page, "Apply");
  await page.getByText("0 selected.").waitFor();
  await page.getByRole("checkbox", { name: "Select Strings", exact: true }).check();
  await page.getByLabel("Action").selectOption("Move dates by days");
  await page.getByRole("textbox", { name: "Days later" }).pressSequentially("7");
  await press(page, "Preview changes");
  await trial
    .getByText(/due Mar 8, 2036/)
    .first()
    .waitFor();
  await press(page, "Edit several");
}

/** From a course: the learner's view, which writes nothing. */
async function seeAsLearner(page: Page): Promise<void> {
  const written: string[] = [];
  page.on("request", (request) => {
    if (!["GET", "OPTIONS"].includes(request.method())) written.push(request.url());
  });
  await follow(page, "As a learner");
  await page.getByText("What learners see. Content", { exact: false }).waitFor();
  // It folds like the learner's outline.
  const fold = page.getByRole("button", { name: "Strings", exact: true });
  const module = page.locator("li.module").filter({ has: fold });
  const item = module.getByRole("link", { name: "What a wave is", exact: true });
  await item.waitFor();
  await fold.click();
  await item.waitFor({ state: "detached" });
  expect(await violationsOnEachSize(page)).toEqual([]);
  await fold.click();
  await item.click();
  await page.getByText("A wave moves.").waitFor();
  await page.getByText("Nothing you do here is recorded", { exact: false }).waitFor();
  expect(written).toEqual([]);
}
