import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { headed, press } from "./steps.ts";

/**
 * Adds a domain to the university on screen after rejections of an invalid and a duplicate one, and removes
 * it.
 */
export async function keepDomains(page: Page): Promise<void> {
  await headed(page, "Domains");
  const field = page.getByLabel("Domain", { exact: true });
  await field.fill("not a domain");
  await press(page, "Grant domain");
  await page.getByText("Enter a domain such as example.edu").waitFor();
  await field.fill("Atlantic.example");
  await press(page, "Grant domain");
  const card = page.getByRole("listitem").filter({ hasText: "atlantic.example" });
  await card.getByText(/^granted /).waitFor();
  await expect.poll(() => field.inputValue()).toBe("");
  expect(await violationsOnEachSize(page)).toEqual([]);
  await field.fill("atlantic.example");
  await press(page, "Grant domain");
  await page.getByText("Domain “atlantic.example” is already taken").waitFor();
  page.once("dialog", (dialog) => dialog.accept());
  await press(page, "Revoke: atlantic.example");
  await expect.poll(() => card.count()).toBe(0);
}
