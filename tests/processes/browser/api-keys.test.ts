import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { headed, press } from "./steps.ts";

describe.skipIf(!systemBrowser)("an administrator, in a browser", () => {
  const { world, browser } = openStaffDemonstration();

  it("makes a key for a machine, is told it once, takes it over and revokes it", async () => {
    const { page, complaints } = await browser.visit("/app#/administration/1/api-keys");
    await signInAs(page, "edwin@northgate.example");
    page.on("dialog", (dialog) => dialog.accept());
    await headed(page, "API keys");
    await page.getByLabel("What it is for").pressSequentially("Registrar");
    await page.getByLabel("Until the end of").fill("2030-12-31");
    await press(page, "Make the key");
    // Nothing was ticked.
    await page.getByText(/at least 1/).waitFor();
    await page.getByLabel("Read people, roles, rosters and imports").check();
    await press(page, "Make the key");
    const told = page.getByLabel("The key, which is shown this once");
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
    // What nothing was ticked for.
    expect(complaints).toEqual([expect.stringContaining("422")]);
  });
});
