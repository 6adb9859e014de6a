import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

describe.skipIf(!systemBrowser)("in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);
  let operations: number;

  beforeAll(async () => {
    const document = (await (await fetch(`${browser.url()}/openapi.json`)).json()) as { paths: object };
    operations = Object.values(document.paths).flatMap((path) => Object.keys(path)).length;
  });

  /** A long list contains only visible operations: scrolls on and counts those seen so far. */
  async function scrollPast(page: Page, seen: Set<string>): Promise<number> {
    const ids = await page.locator(".opblock").evaluateAll((all) => all.map(({ id }) => id));
    for (const id of ids) seen.add(id);
    await page.mouse.wheel(0, 400);
    return seen.size;
  }

  // One visit: the page takes seconds to load so many operations.
  it("/docs opens at a link's operation, tries it out with a token, lists every one and filters them", async () => {
    const someone = await make.person();
    const { page, complaints } = await browser.visit("/docs#/Users/getMyProfile");
    const operation = page.locator("#operations-Users-getMyProfile");
    await operation.locator(".authorization__btn").click();
    await page
      .locator("#auth-bearer-value")
      .first()
      .fill(String(await world.as(someone).token));
    await page.locator(".auth-container .btn.authorize").first().click();
    await page.locator(".btn-done").first().click();
    await operation.locator(".btn.execute").click();
    const answer = operation.locator(".live-responses-table .response");
    await answer.locator(".response-col_status").waitFor();
    expect(await answer.locator(".response-col_status").innerText()).toContain("200");
    expect(await answer.innerText()).toContain(someone.email);

    const seen = new Set<string>();
    await page.evaluate("scrollTo(0, 0)");
    // The wheel would scroll the part of the page below the mouse.
    await page.mouse.move(0, 0);
    await expect.poll(() => scrollPast(page, seen)).toBe(operations);

    const filter = page.locator(".operation-filter-input");
    const paths = page.locator(".opblock .opblock-summary-path");
    await filter.pressSequentially("universities roles");
    const isNarrowed = async () => {
      const shown = await paths.allInnerTexts();
      return shown.length > 0 && shown.every((path) => path.includes("/universities/"));
    };
    await expect.poll(isNarrowed).toBe(true);
    await filter.fill("getMyProfile");
    await expect.poll(() => paths.allInnerTexts()).toEqual(["/api/v1/users/me"]);
    expect(complaints).toEqual([]);
  });

  it("/redoc describes every operation, and draws those in sight", async () => {
    const { page, complaints } = await browser.visit("/redoc");
    const described = page.locator("[data-section-id^='tag/'][data-section-id*='/operation/']");
    await expect.poll(() => described.count()).toBe(operations);
    const isDrawn = (which: Locator) =>
      which.evaluate((one) => one.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }));
    expect(await isDrawn(described.last())).toBe(false);
    await described.last().scrollIntoViewIfNeeded();
    await expect.poll(() => isDrawn(described.last())).toBe(true);
    // No other host was asked.
    expect(complaints).toEqual([]);
  });
});
