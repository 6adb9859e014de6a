import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { directoryWith } from "../../support/scim.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { headed, press } from "./steps.ts";

describe.skipIf(!systemBrowser)("an administrator, in a browser", () => {
  const { world, browser } = openStaffDemonstration();

  const directoryKey = async () => {
    const { rows } = await world.deps.db.execute(
      sql`select id from users where email = 'edwin@northgate.example'`,
    );
    const wanted = { name: "Directory", scopes: ["scim"], expires_at: "2030-01-01T00:00:00Z" };
    const made = await world.as({ id: Number(rows[0]?.["id"]) }).post("/universities/1/api-keys", wanted);
    return made.body.key as string;
  };

  it("creates an API key, sees it once, adopts it and revokes it", async () => {
    const { page, complaints } = await browser.visit("/app#/administration/1/api-keys");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await headed(page, "API keys");
    await page.getByLabel("Purpose").pressSequentially("Registrar");
    await page.getByLabel("Until the end of").fill("2030-12-31");
    await press(page, "Create key");
    // No scope is checked.
    await page.getByText("At least 1 entry").waitFor();
    await page.getByLabel("Read people, roles, rosters and imports").check();
    await press(page, "Create key");
    const told = page.getByLabel("Your key, shown only once");
    await told.waitFor();
    const key = await told.inputValue();
    expect(key).toMatch(/^lk_\d+_[\w-]{43}$/);
    expect(await violationsOnEachSize(page)).toEqual([]);
    const read = () =>
      world.as().get("/universities/1/roles", { headers: { authorization: `Bearer ${key}` } });
    expect((await read()).status).toBe(200);

    await page.reload();
    const card = page.getByRole("listitem").filter({ hasText: "Registrar" });
    await card.getByText(/^valid until/).waitFor();
    expect(await page.content()).not.toContain(key);
    await card.getByText("in the name of Edwin Osei").waitFor();
    await press(page, "Take over: Registrar");
    await press(page, "Revoke: Registrar");
    await card.getByText(/^revoked/).waitFor();
    expect((await read()).status).toBe(401);

    const group = {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
      displayName: "Tutors of Physics",
    };
    expect((await directoryWith(world, await directoryKey()).post("/Groups", group)).status).toBe(201);
    await page.getByRole("link", { name: "Directory", exact: true }).click();
    await headed(page, "Directory");
    await page
      .getByLabel("Role of members of Tutors of Physics")
      .selectOption({ label: "Teaching assistant" });
    await press(page, "Save");
    await page.getByText("Saved").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.reload();
    const mapped = page.getByLabel("Role of members of Tutors of Physics");
    await mapped.waitFor();
    expect(await mapped.inputValue()).toBe("TA");

    const directory = directoryWith(world, await directoryKey());
    expect((await directory.post("/Groups", { ...group, schemas: [] })).status).toBe(400);
    await world.deps.metrics.report();
    await page.getByText("Recent requests").click();
    await page.getByText("POST /Groups/").waitFor();
    await page.getByLabel("Show requests").selectOption({ label: "Rejected" });
    await page.getByText("(invalidSyntax)").waitFor();
    await page.getByText("POST /Groups/").waitFor({ state: "detached" });
    expect(await violationsOnEachSize(page)).toEqual([]);
    // The rejection of the form without a scope.
    expect(complaints).toEqual([expect.stringContaining("422")]);
  });
});
