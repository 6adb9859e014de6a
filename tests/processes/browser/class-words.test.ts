import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";

describe.skipIf(!systemBrowser)("those who teach and administer, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("announce to a class", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    await page.getByRole("link", { name: "Introduction to Signals" }).click();
    await page.getByRole("link", { name: "Announcements" }).click();
    await page.getByText("Write an announcement").click();
    await page.getByLabel("Title").fill("No class on Friday");
    await page.getByLabel("Text", { exact: true }).fill("We go on **on Monday**.");
    await page.getByRole("button", { name: "Announce", exact: true }).click();
    await page.getByRole("heading", { name: "No class on Friday" }).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("hide what was reported", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    await page.getByRole("link", { name: "Introduction to Signals" }).click();
    await page.getByRole("link", { name: "Reported" }).click();
    await page.getByText("That is not what the discussions are for.").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Hide" }).click();
    await page.getByText("Nothing was reported.").waitFor();
    expect(complaints).toEqual([]);
  });
});
