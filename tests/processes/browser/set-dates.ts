import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { follow, headed, press, saved } from "./steps.ts";

/** From an offering and back: gives one item its own date, removes another's, and shifts all. */
export async function setDates(page: Page): Promise<void> {
  await follow(page, "Offering dates");
  await headed(page, "Offering dates");
  const [first, second] = [page.locator("fieldset").nth(0), page.locator("fieldset").nth(1)];
  await first.getByRole("combobox", { name: "Due at" }).selectOption("own date");
  await first.getByLabel("Due at: day and time").fill("2027-03-01T18:00");
  await second.getByRole("combobox", { name: "Due at" }).selectOption("none");
  expect(await violationsOnEachSize(page)).toEqual([]);
  await press(page, "Save");
  await first.getByText("due Mar 1, 2027").waitFor();
  await saved(page);
  await second.getByText("not due").waitFor();

  await page.getByText("Move all dates").click();
  const region = page.getByRole("region", { name: "Move all dates" });
  await region.getByLabel("Dates").selectOption("move by days");
  await region.getByRole("textbox", { name: "Days later" }).fill("7");
  await press(page, "Move");
  await first.getByText("due Mar 8, 2027").waitFor();
  await page.getByRole("link", { name: "The offering" }).click();
}
