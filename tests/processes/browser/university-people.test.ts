import { readFile } from "node:fs/promises";
import { eq, sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { users } from "../../../schema/db/identity/users.ts";
import { excessAtEachWidth, violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { follow, headed, openPart } from "./steps.ts";

/** Lists narrow while the user types. */
async function searchPeople(page: Page, words: string): Promise<void> {
  await page.locator("input[name=q]").fill("");
  await page.locator("input[name=q]").pressSequentially(words);
  // A click on a line that moves would hit another one.
  await expect.poll(() => page.locator(".lines > li").filter({ hasNotText: words }).count()).toBe(0);
}

describe.skipIf(!systemBrowser)("teachers and administrators, in a browser", () => {
  const { world, browser } = openStaffDemonstration();

  it("find people, and suspend and restore them, by the id of the record store too", async () => {
    const { rows } = await world.deps.db.execute(sql`
      with known as (
        insert into sourced_people (university_id, sourced_id, user_id)
        select 1, 's-1815', id from users where email = 'noor@northgate.example' returning user_id
      )
      select run.course_id, run.id from known
      join enrollments as seat on seat.user_id = known.user_id and seat.university_id = 1
      join course_offerings as run on run.id = seat.course_offering_id order by run.id limit 1`);
    const [run] = rows;
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await openPart(page, "People", "People");
    await searchPeople(page, "noor");
    const noor = page.getByRole("listitem").filter({ hasText: "Noor Haddad" });
    await expect.poll(() => page.locator(".lines li").count()).toBe(1);
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByLabel("Order").selectOption("Family name");
    await noor.waitFor();
    await noor.getByRole("link", { name: "Noor Haddad" }).click();
    // Universities suspend people; only the platform deactivates accounts.
    const account = page.getByRole("region", { name: "Account" });
    await account.getByRole("button", { name: "Suspend" }).waitFor();
    expect(await account.getByRole("button", { name: "Deactivate" }).count()).toBe(0);
    await page.getByRole("region", { name: "Courses" }).getByText("Introduction to Signals").waitFor();
    await page.getByRole("region", { name: "Sign-ins" }).waitFor();
    await account.getByRole("button", { name: "Suspend" }).click();
    await account.getByText("suspended", { exact: true }).waitFor();
    const events = page.getByRole("region", { name: "Audit log" });
    await page.reload();
    await events.getByText("Person suspended").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(await excessAtEachWidth(page)).toEqual([]);
    await account.getByRole("button", { name: "Restore" }).click();
    await expect.poll(() => account.getByText("suspended", { exact: true }).count()).toBe(0);
    await page.locator("a.back").click();
    await headed(page, "People");
    await searchPeople(page, "noor");
    await noor.getByText("s-1815", { exact: true }).waitFor();
    await searchPeople(page, "nobody");
    await page.getByText("No people match.").waitFor();
    await searchPeople(page, "s-1815");
    await noor.waitFor();
    await page.goto(`${new URL(page.url()).origin}/app#/teaching/${run?.["course_id"]}/${run?.["id"]}`);
    const line = page.getByRole("row").filter({ hasText: "Noor Haddad" });
    await line.getByText("s-1815", { exact: true }).waitFor();
    await page.getByLabel("Order").selectOption("University's own number");
    const first = page.getByRole("row").nth(1);
    await expect.poll(() => first.getByText("s-1815", { exact: true }).count()).toBe(0);
    expect(await violationsOnEachSize(page)).toEqual([]);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const csv = await readFile(await (await download).path(), "utf8");
    expect(csv.split("\r\n").at(0)).toMatch(/^user_id,external_id,full_name,/);
    // People without the university's id come first.
    expect(csv.trim().split("\r\n").at(-1)).toMatch(/^\d+,s-1815,Noor Haddad,/);

    expect(complaints).toEqual([]);
  });

  it("grant roles, and revoke them", async () => {
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await openPart(page, "People", "People");
    await searchPeople(page, "noor");
    const held = Promise.withResolvers<void>();
    await page.route(/\/users\/\d+$/, (route) => held.promise.then(() => route.continue()));
    await page.getByRole("link", { name: "Noor Haddad" }).click();
    // The form is filled in with the address, so its link waits for it.
    await page.getByRole("region", { name: "Roles" }).getByRole("listitem").first().waitFor();
    expect(await page.getByRole("link", { name: "Grant a role" }).count()).toBe(0);
    held.resolve();
    // Listed people receive it immediately, even with an unverified address.
    const isNoor = eq(users.email, "noor@northgate.example");
    await world.deps.db.update(users).set({ email_verified_at: null }).where(isNoor);
    await follow(page, "Grant a role");
    const grant = page.getByRole("region", { name: "Grant a role" });
    await grant.getByLabel("Role").selectOption("TA");
    await grant.locator("[name=department_id]").selectOption("Electrical Engineering");
    await grant.getByRole("button", { name: "Grant a role" }).click();
    await page.getByText("Noor Haddad has the role.").waitFor();
    await searchPeople(page, "noor");
    expect(await violationsOnEachSize(page)).toEqual([]);
    const granted = page.getByRole("listitem").filter({ hasText: "Teaching assistant" });
    await granted.getByText("Electrical Engineering").waitFor();
    await page.getByRole("button", { name: "Revoke: Noor Haddad, Teaching assistant" }).click();
    await expect.poll(() => page.getByRole("button", { name: /Noor Haddad, Teaching/ }).count()).toBe(0);

    expect(complaints).toEqual([]);
  });

  it("keep departments", async () => {
    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await openPart(page, "People", "Departments");
    await page.getByLabel("Name").last().fill("History");
    await page.getByLabel("Code").last().fill("HIST");
    await page.getByRole("button", { name: "Create the department" }).click();
    const history = page.getByRole("listitem").filter({ hasText: "HIST" });
    await history.getByText("Edit").click();
    await history.getByLabel("Name").fill("Modern History");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await history.getByRole("button", { name: "Save" }).click();
    await history.getByText("Modern History").waitFor();
    await history.getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => history.count()).toBe(0);
    // The button is gone, and the focus moved next to it.
    expect(await page.evaluate("document.activeElement !== document.body")).toBe(true);

    expect(complaints).toEqual([]);
  });

  it("read the audit log", async () => {
    const people = await world.deps.db.select().from(users);
    const [edwin, noor] = ["edwin", "noor"].map((name) =>
      people.find(({ email }) => email === `${name}@northgate.example`),
    );
    const administrator = world.as(edwin);
    const roles = "/universities/1/roles";
    const { body: granted } = await administrator.post(roles, { user_id: noor?.id, role: "TA" });
    expect((await administrator.delete(`${roles}/${granted.id}`)).status).toBe(204);

    const { page, complaints } = await browser.visit("/app#/administration");
    await signInAs(page, "edwin@northgate.example");
    await openPart(page, "Rules", "Audit log");
    const revoked = page.getByRole("row", { name: /Role revoked Edwin Osei .*Noor Haddad role: ta/ }).first();
    await revoked.waitFor();
    await page
      .getByRole("row", { name: /Role granted/ })
      .first()
      .waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByLabel("Action").selectOption("role.revoked");
    await expect.poll(() => page.getByRole("row", { name: /Role granted/ }).count()).toBe(0);
    await revoked.getByRole("link", { name: "Edwin Osei" }).click();
    await page.getByRole("link", { name: "Show all people" }).waitFor();
    expect(complaints).toEqual([]);
  });
});
