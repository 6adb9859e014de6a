import { describe, expect, it } from "vitest";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { follow, press, saved } from "./steps.ts";

describe.skipIf(!systemBrowser)("teachers and administrators, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("confirm before they leave an edited form, and stay with their text or leave", async () => {
    const { page, complaints } = await browser.visit("/app#/authoring");
    await signInAs(page, "helena@northgate.example");
    await follow(page, "Introduction to Signals");
    await follow(page, "Settings");
    // The previous screen has the same field.
    await page.getByRole("button", { name: "Save" }).first().waitFor();
    const asked: string[] = [];
    let stays = true;
    page.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await (stays ? dialog.dismiss() : dialog.accept());
    });
    const settings = page.url();
    await page.getByLabel("Title").fill("Signals, rewritten");
    const staysAfter = async (leave: () => Promise<unknown>, times: number, kind = "confirm") => {
      await leave();
      await expect.poll(() => asked).toEqual([...asked.slice(0, times - 1), kind]);
      await expect.poll(() => page.url()).toBe(settings);
      expect(await page.getByLabel("Title").inputValue()).toBe("Signals, rewritten");
    };
    await staysAfter(() => follow(page, "Offerings"), 1);
    await staysAfter(() => page.evaluate("history.back()"), 2);
    await staysAfter(() => press(page, "Sign out"), 3);
    await staysAfter(() => page.close({ runBeforeUnload: true }), 4, "beforeunload");

    stays = false;
    await page.evaluate("history.back()");
    await page.getByRole("heading", { name: "Modules" }).waitFor();
    expect(asked.length).toBe(5);
    await follow(page, "Settings");
    await page.getByRole("button", { name: "Save" }).first().waitFor();
    await page.getByLabel("Title").fill("Introduction to Signals");
    await page.getByRole("button", { name: "Save" }).first().click();
    await saved(page);
    await follow(page, "Offerings");
    await page.getByRole("heading", { name: "New offering" }).waitFor();
    expect(asked.length).toBe(5);

    // A form within the page that closes or is replaced.
    stays = true;
    await page.evaluate('location.hash = "#/teaching/1/1/gradebook"');
    const grades = page.locator("button.grade");
    await grades.nth(0).click();
    const reason = page.getByLabel("Reason (recorded)");
    await press(page, "Cancel");
    await reason.waitFor({ state: "detached" });
    expect(asked.length).toBe(5);
    await grades.nth(0).click();
    await reason.fill("Handed in on paper");
    for (const leave of [() => press(page, "Cancel"), () => grades.nth(1).click()]) await leave();
    await expect.poll(() => asked.length).toBe(7);
    expect(await reason.inputValue()).toBe("Handed in on paper");
    stays = false;
    await press(page, "Cancel");
    await reason.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });
});
