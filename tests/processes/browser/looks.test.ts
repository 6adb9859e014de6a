import { describe, expect, it } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { png } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";
import { headed, press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

describe.skipIf(!systemBrowser)("the looks of a university, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  it("are set by its administrator, and seen by its people, before they sign in too", async () => {
    const university = await make.university({ name: "Northgate University" });
    const admin = await make.holder("university_admin", university.id);
    const { page, complaints } = await visitAs(
      world,
      browser,
      admin,
      `administration/${university.id}/settings`,
    );
    await page.getByLabel("Name shown to its people").fill("Northgate");
    await page.getByLabel("Color", { exact: true }).pressSequentially("#7a1f3d");
    await press(page, "Save");
    await saved(page);
    await page.locator(".brand").getByText("Northgate", { exact: true }).waitFor();
    await page.getByText("Light theme: #7a1f3d").waitFor();
    await page
      .getByRole("group", { name: "Another logo" })
      .getByLabel("Choose a file")
      .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: png });
    await page.getByRole("img", { name: "Logo of Northgate University" }).waitFor();
    await page.locator(".brand img").waitFor();
    expect(await violationsOnEachSize(page)).toEqual([]);

    const { page: guest, ...visit } = await browser.visit(`/app?university=${university.id}`);
    await headed(guest, "Sign in to Northgate");
    const accent = await guest.evaluate(
      "getComputedStyle(document.querySelector('button.primary')).backgroundColor",
    );
    expect(accent).toBe("rgb(122, 31, 61)");
    expect(await violationsOnEachSize(guest)).toEqual([]);
    expect([...complaints, ...visit.complaints]).toEqual([]);
  });
});
