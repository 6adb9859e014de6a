import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { follow, headed, openPart, press, saved } from "./steps.ts";

/** From the administration: creates, renames and deletes a university. */
export async function keepUniversity(page: Page, taken: string): Promise<void> {
  await follow(page, "New university");
  await page.getByLabel("Name", { exact: true }).fill("Atlantic College");
  await page.getByLabel("Short code").fill(taken);
  await page.getByLabel("Country").selectOption("Ireland");
  await page.getByLabel("Time zone").selectOption("Europe/Dublin");
  await press(page, "Create the university");
  await page.locator("[name=short_code][aria-invalid=true]:focus").waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
  await page.getByLabel("Short code").fill("ATL");
  await press(page, "Create the university");
  await headed(page, "Roles");
  await openPart(page, "Rules", "Settings");
  expect(await page.getByLabel("Time zone").inputValue()).toBe("Europe/Dublin");
  await page.getByLabel("Name", { exact: true }).fill("Atlantic University");
  await page.getByLabel("Active").uncheck();
  await press(page, "Save");
  await saved(page);
  await page.locator(".eyebrow").getByText("Atlantic University").waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);

  await follow(page, "Administration");
  const card = page.getByRole("listitem").filter({ hasText: "Atlantic University" });
  await card.getByText("inactive").waitFor();
  await card.getByRole("link").click();
  await openPart(page, "Rules", "Settings");
  page.once("dialog", (dialog) => dialog.accept());
  await press(page, "Delete the university");
  await page.getByRole("link", { name: "New university" }).waitFor();
  await expect.poll(() => card.count()).toBe(0);
}
