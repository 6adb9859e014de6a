import { describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";

describe.skipIf(!systemBrowser)("the tutor's data about a person, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("is nothing until they choose it, and theirs to take back", async () => {
    const { page, complaints } = await browser.visit("/app#/account");
    await signInAs(page, "mina@northgate.example");
    const part = page.getByRole("region", { name: "What the tutor knows about you" });
    const choice = part.getByRole("checkbox", { name: "Let the tutor see my results" });
    await choice.waitFor();
    expect(await choice.isChecked()).toBe(false);
    expect(await violationsOf(page)).toEqual([]);
    for (const chosen of [true, false]) {
      await choice.click();
      await part.getByRole("button", { name: "Save" }).click();
      await part.getByText("Saved", { exact: true }).waitFor();
      await page.reload();
      await choice.waitFor();
      expect(await choice.isChecked()).toBe(chosen);
    }
    expect(complaints).toEqual([]);
  });
});
