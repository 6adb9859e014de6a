import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { openPart } from "./steps.ts";

describe.skipIf(!systemBrowser)("teachers and administrators, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("store the keys of the LLM, which are never shown again", async () => {
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await openPart(page, "Connections", "LLM keys");
    await page.getByLabel("Access key id").fill("AKIAEXAMPLE");
    await page.getByLabel("Secret access key").fill("a-secret-that-nothing-shows");
    await page.getByRole("button", { name: "Store new keys" }).click();
    await page.getByText("stored here").waitFor();
    expect(await page.getByText("…MPLE").count()).toBe(1);
    expect(await page.content()).not.toContain("a-secret-that-nothing-shows");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => page.getByText("stored here").count()).toBe(0);

    expect(complaints).toEqual([]);
  });
});
