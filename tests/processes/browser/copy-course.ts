import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { headed, press } from "./steps.ts";

const begins = (page: Page) => page.getByLabel("Begins").inputValue();
const day = 24 * 60 * 60 * 1000;

/** From a course's offering: another offering half a year later. */
export async function copyOffering(page: Page): Promise<void> {
  const copy = page.getByRole("region", { name: "Copy the offering" });
  // The previous screen has the same field.
  await copy.waitFor();
  const before = await begins(page);
  await copy.getByText("Copy the offering").click();
  await copy.getByLabel("Name of the term").fill("Half a year later");
  await copy.getByLabel("Dates").selectOption("move by days");
  await copy.getByRole("textbox", { name: "Days later" }).fill("182");
  expect(await violationsOnEachSize(page)).toEqual([]);
  await press(page, "Copy");
  await headed(page, "Half a year later");
  // Daylight saving may start between them.
  const moved = (new Date(await begins(page)).getTime() - new Date(before).getTime()) / day;
  expect(Math.round(moved)).toBe(182);
}

/** From a course's settings: a copy, whose code must be unique. */
export async function copyCourse(page: Page, taken: string, code: string): Promise<void> {
  const copy = page.getByRole("region", { name: "Copy the course" });
  await copy.getByText("Copy the course").click();
  await copy.getByLabel("Title").fill("Signals, once more");
  await copy.getByLabel("Code").fill(taken);
  await copy.getByLabel("Published").uncheck();
  await press(page, "Copy");
  await page.getByText(`Code “${taken}” is already taken`).waitFor();
  await copy.locator("[name=code]:focus").waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
  await copy.getByLabel("Code").fill(code);
  await press(page, "Copy");
  await headed(page, "Signals, once more");
  await page.locator(".eyebrow").getByText("draft", { exact: true }).waitFor();
}

const question = (answer: object) => ({ kind: "TRUE_FALSE", question_text: "Is a copy alike?", answer });

const choose = (page: Page, name: string, ...questions: object[]) =>
  page.getByLabel("Files").setInputFiles({
    name,
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ questions })),
  });

/** From a course's questions: imports a corrected file into a pool, once. */
export async function importQuestions(page: Page): Promise<void> {
  await page.getByLabel("Title").fill("From a file");
  await press(page, "Create the pool");
  await page.getByText("Import questions").click();
  await choose(page, "faulty.json", question({ value: true }), question({ value: 3 }));
  await press(page, "Start");
  const status = page.getByRole("status");
  await status.getByText("Dry run 1 new, 0 already there, 1 faulty").waitFor();
  await status.getByText(/^Question 2 is missing: Right answer: .*true or false/).waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);

  await choose(page, "right.json", question({ value: true }));
  await press(page, "Start");
  await status.getByText("Dry run 1 new, 0 already there, 0 faulty").waitFor();
  await page.getByText("No questions yet. Add the first one below.").waitFor();
  await page.getByLabel("Dry run").uncheck();
  await press(page, "Start");
  await status.getByText("The import 1 new, 0 already there, 0 faulty").waitFor();
  await page.locator(".stack").getByText("Is a copy alike?").waitFor();

  const buffer = Buffer.from("<assessmentItem/><not an item");
  await page.getByLabel("Files").setInputFiles({ name: "item.xml", mimeType: "text/xml", buffer });
  await press(page, "Start");
  await status.getByText("The import 0 new, 0 already there, 1 faulty").waitFor();
  await status.getByRole("listitem").filter({ hasText: "item.xml" }).waitFor();
  // Rejections use the reader's language, also for earlier imports.
  await page.getByLabel("Language").selectOption("de");
  await status.getByText("Das XML dieser Datei ist nicht lesbar: ").waitFor();
  await page.getByLabel("Sprache").selectOption("en");
  await status.getByText("The XML of this file cannot be read: ").waitFor();
}
