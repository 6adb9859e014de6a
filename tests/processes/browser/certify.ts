import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { follow, press, saved } from "./steps.ts";

const turnTo = (page: Page, part: string) =>
  page.getByRole("navigation", { name: "Parts" }).getByRole("link", { name: part }).click();

/** Sets the class's grading, with a group for its one assignment. */
export async function setGrading(page: Page, assignment: string): Promise<void> {
  await turnTo(page, "Grading");
  await page.getByText("This offering is not graded yet.").waitFor();
  await press(page, "Add a letter");
  const letters = page.getByRole("group", { name: "Letters" });
  await letters.getByLabel("Letter", { exact: true }).last().fill("A");
  await press(page, "Add a group");
  const groups = page.getByRole("group", { name: "Groups" });
  await groups.getByLabel("Name").fill("Work");
  await groups.getByLabel("Weight").fill("100");
  await groups.getByLabel(assignment).check();
  await press(page, "Save");
  await page.locator(".fault").first().waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
  await letters
    .getByRole("button", { name: /^Delete \d/ })
    .last()
    .click();
  await press(page, "Save");
  await page.getByText("This offering is graded:").waitFor();
  await page.reload();
  await expect.poll(() => groups.getByLabel(assignment).isChecked()).toBe(true);
}

/** Marks a learner as complete, issues a certificate, replaces it and revokes it. */
export async function certify(page: Page, learner: string): Promise<void> {
  await turnTo(page, "Certificates");
  await page
    .getByRole("combobox", { name: "Certificates are issued" })
    .selectOption("by the staff, one by one");
  await press(page, "Save");
  await saved(page);
  await page.getByText("No one has completed the offering yet.").waitFor();
  await turnTo(page, "Class");
  await follow(page, learner);
  await page.getByLabel("Status").selectOption("Completed");
  await press(page, "Save");
  await saved(page);
  expect(await violationsOnEachSize(page)).toEqual([]);
  await follow(page, "← Back to the class");
  await turnTo(page, "Certificates");
  await page.getByLabel("Name on the certificate").fill("M. Park");
  await press(page, "Issue");
  const first = page.getByRole("article", { name: "M. Park" });
  await first.waitFor();
  await press(page, "Issue");
  await page.getByText("They already have a certificate").waitFor();
  await first.getByText("Reissue").click();
  await first.getByLabel("Name on the certificate").fill("Mina Park");
  await first.getByRole("button", { name: "Reissue" }).click();
  const second = page.getByRole("article", { name: "Mina Park" });
  await second.getByText("valid", { exact: true }).waitFor();
  await first.getByText("replaced").waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
  await second.getByText("Revoke").click();
  await second.getByLabel("Reason").fill("It was a rehearsal.");
  await second.getByRole("button", { name: "Revoke" }).click();
  await second.getByText("revoked", { exact: true }).waitFor();
  await second.getByText("It was a rehearsal.").waitFor();
}
