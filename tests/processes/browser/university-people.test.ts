import { readFile } from "node:fs/promises";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { users } from "../../../schema/db/identity/users.ts";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { headed } from "./steps.ts";

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
    await page.locator(".cards a").first().click();
    await page.getByRole("searchbox").fill("noor");
    await page.getByRole("button", { name: "Search" }).click();
    const noor = page.getByRole("listitem").filter({ hasText: "Noor Haddad" });
    await expect.poll(() => page.locator(".lines li").count()).toBe(1);
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByLabel("Order").selectOption("Family name");
    await noor.waitFor();
    // Universities suspend people; only the platform deactivates accounts.
    expect(await noor.getByRole("button", { name: "Deactivate" }).count()).toBe(0);
    await noor.getByRole("button", { name: "Suspend" }).click();
    await noor.getByText("suspended", { exact: true }).waitFor();
    await noor.getByRole("button", { name: "Restore" }).click();
    await expect.poll(() => noor.getByText("suspended", { exact: true }).count()).toBe(0);
    await noor.getByText("s-1815", { exact: true }).waitFor();
    await page.getByRole("searchbox", { name: "Name, e-mail address or number" }).fill("nobody");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("Nobody fits.").waitFor();
    await page.getByRole("searchbox").fill("s-1815");
    await page.getByRole("button", { name: "Search" }).click();
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
    await page.locator(".cards a").first().click();
    await page.getByRole("searchbox").fill("noor");
    await page.getByRole("button", { name: "Search" }).click();
    const noor = page.getByRole("listitem").filter({ hasText: "Noor Haddad" });
    // Listed people receive it immediately, even with an unverified address.
    const isNoor = eq(users.email, "noor@northgate.example");
    await world.deps.db.update(users).set({ email_verified_at: null }).where(isNoor);
    await noor.getByRole("link", { name: "Grant a role" }).click();
    const grant = page.getByRole("region", { name: "Grant a role" });
    await grant.getByLabel("Role").selectOption("TA");
    await grant.locator("[name=department_id]").selectOption("Electrical Engineering");
    await grant.getByRole("button", { name: "Grant a role" }).click();
    await page.getByText("Noor Haddad has the role.").waitFor();
    await page.getByRole("searchbox").fill("noor");
    await page.getByRole("button", { name: "Search" }).click();
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
    await page.locator(".cards a").first().click();
    await page.getByRole("link", { name: "Departments" }).click();
    // The previous screen has the same field.
    await headed(page, "Departments");
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
    await page.locator(".cards a").first().click();
    // Lines of the list below have the same link.
    await page.getByRole("link", { name: "Audit log" }).first().click();
    const revoked = page.getByRole("row", { name: /Role revoked Edwin Osei .*Noor Haddad role: ta/ }).first();
    await revoked.waitFor();
    await page
      .getByRole("row", { name: /Role granted/ })
      .first()
      .waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByLabel("What was done").selectOption("role.revoked");
    await expect.poll(() => page.getByRole("row", { name: /Role granted/ }).count()).toBe(0);
    await revoked.getByRole("link", { name: "Edwin Osei" }).click();
    await page.getByRole("link", { name: "Show everyone's" }).waitFor();
    expect(complaints).toEqual([]);
  });
});
