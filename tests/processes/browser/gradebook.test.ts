import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";

describe.skipIf(!systemBrowser)("teachers and administrators, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("grade work, correct, release and finalize grades", async () => {
    const { page, complaints } = await browser.visit("/app#/teaching");
    await signInAs(page, "helena@northgate.example");
    await page.getByRole("link", { name: "Introduction to Signals" }).click();
    await page.getByRole("link", { name: "Submissions" }).click();
    const waiting = page
      .getByRole("row", { name: /A spectrum of your own/ })
      .filter({ hasText: "Mina Park" });
    await waiting.waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await waiting.getByRole("link").click();
    await page.getByRole("button", { name: "Claim it for 15 minutes" }).click();
    await page.getByText("Yours until").waitFor();
    await page.getByLabel(/^Points, up to \d+$/).fill("7.5");
    await page.getByLabel("Feedback").fill("Say which window you chose.");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Save the grade" }).click();
    await page.getByText(/^7\.5 of \d+ points$/).waitFor();

    await page.getByRole("link", { name: "← Submissions" }).click();
    await page
      .getByRole("row", { name: /A spectrum of your own/ })
      .first()
      .waitFor();
    await waiting.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Gradebook" }).click();
    await page.getByRole("button", { name: /^Mina Park, A spectrum of your own: 7\.5/ }).click();
    await page.getByLabel(/^Points, up to \d+$/).fill("8");
    await page.getByLabel("Reason (recorded)").fill("A point overlooked");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Set the grade" }).click();
    await page.getByRole("button", { name: /^Mina Park, A spectrum of your own: 8/ }).waitFor();
    await page.getByRole("button", { name: "Release the grades of A spectrum of your own" }).click();
    await page.getByRole("button", { name: "Withdraw the grades of A spectrum of your own" }).waitFor();
    await page.getByRole("button", { name: "Finalize grades" }).click();
    await page.getByText(/\d+ grades? to finalize/).waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: /^Finalize \d+ grades?$/ }).click();
    await page.getByText(/\d+ finalized, /).waitFor();

    expect(complaints).toEqual([]);
  });
});
