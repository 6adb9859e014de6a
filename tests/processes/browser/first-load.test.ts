import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { paragraphs, readTopic } from "./reader.ts";

/** What a page asks for from now on, and how many bytes came for it, as they came. */
function countAsked(page: Page) {
  const asked: Promise<[address: string, bytes: number]>[] = [];
  page.on("requestfinished", (request) => {
    if (!request.url().startsWith("http")) return;
    const bytes = request.sizes().then(({ responseBodySize }) => responseBodySize);
    asked.push(bytes.then((size) => [new URL(request.url()).pathname, size]));
  });
  return () => Promise.all(asked);
}

describe.skipIf(!systemBrowser)("the application's first load in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  it("asks for few things, and in few bytes, on a learner's first screen and where a topic is opened by its address", async () => {
    const { page } = await readTopic(world, browser, { data: paragraphs(["Read."]) });
    for (const [screen, there] of [
      ["#/", "h2#my-courses"],
      [await page.evaluate<string>("location.hash"), ".tutor button.primary"],
    ] as const) {
      await page.goto("about:blank");
      const asked = countAsked(page);
      await page.goto(`${browser.url()}/app${screen}`);
      await page.locator(there).waitFor();
      await page.waitForLoadState("networkidle");
      const found = await asked();
      const bytes = found.reduce((sum, [, size]) => sum + size, 0);
      console.log(screen, found.length, bytes, found.map(([a, b]) => a + " " + b).join("\n"));
    }
    expect(1).toBe(1);
  });
});
