import { describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("a university's members in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  it("have one button, which suspends them after a question, or restores them", async () => {
    const { id } = await make.university();
    const admin = await make.holder("university_admin", id);
    const member = await make.holder("student", id);
    const { page, complaints } = await visitAs(
      world,
      browser,
      admin,
      `administration/${id}/people/${member.id}`,
    );
    let asks = 0;
    let consents = false;
    page.on("dialog", async (dialog) => {
      asks++;
      await (consents ? dialog.accept() : dialog.dismiss());
    });
    const line = page.getByRole("region", { name: "Account" });
    const buttons = line.getByRole("button");
    const badge = line.getByText("suspended", { exact: true });
    const isActive = async () => (await world.as(member).get("/users/me")).body.sign_in.withheld.length === 0;

    await buttons.filter({ hasText: "Suspend" }).click();
    await expect.poll(() => asks).toBe(1);
    expect([await badge.count(), await isActive()]).toEqual([0, true]);
    consents = true;
    await buttons.filter({ hasText: "Suspend" }).click();
    await badge.waitFor();
    expect([await buttons.allInnerTexts(), await isActive()]).toEqual([["Restore"], false]);
    expect(await violationsOf(page)).toEqual([]);

    await page.reload();
    await buttons.filter({ hasText: "Restore" }).click();
    await badge.waitFor({ state: "detached" });
    expect([await buttons.allInnerTexts(), await isActive()]).toEqual([["Suspend"], true]);
    // Restoring loses no data, so only removals ask for confirmation.
    expect(asks).toBe(2);
    expect(complaints).toEqual([]);
  });

  it("find no such button on their own page, and none of other universities' people", async () => {
    const { id } = await make.university();
    const admin = await make.holder("university_admin", id);
    const { page } = await visitAs(world, browser, admin, `administration/${id}/people`);
    const own = page.getByRole("listitem").filter({ hasText: admin.full_name });
    await own.waitFor();
    expect(await page.locator(".lines li").count()).toBe(1);
    await own.getByRole("link", { name: admin.full_name }).click();
    const account = page.getByRole("region", { name: "Account" });
    await account.waitFor();
    expect(await account.getByRole("button").count()).toBe(0);
  });
});
