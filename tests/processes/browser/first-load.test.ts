import { describe, expect, it } from "vitest";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { paragraphs, readTopic } from "./reader.ts";

describe.skipIf(!systemBrowser)("the application's first load, with an empty cache", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  it("makes few requests of few bytes, on the first screen and at a topic's URL", async () => {
    const { page } = await readTopic(world, browser, { data: paragraphs(["Read."]) });
    const network = await page.context().newCDPSession(page);
    const topic = await page.evaluate<string>("location.hash");
    /** The number of requests until the page is idle, and the compressed bytes. */
    const load = async (screen: string, there: string): Promise<[requests: number, bytes: number]> => {
      await page.goto("about:blank");
      await network.send("Network.clearBrowserCache");
      const sizes: Promise<number>[] = [];
      page.on("requestfinished", (request) => {
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
      });
      await page.goto(`${browser.url()}/app${screen}`);
      await page.locator(there).waitFor();
      await page.waitForLoadState("networkidle");
      page.removeAllListeners("requestfinished");
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      return [sizes.length, bytes];
    };
    const bounds = [
      // Measured: 8 requests and 37 007 bytes; 15 and 115 205 (36 and 121 580 with one file per small
      // module).
      [await load("#/", "#my-courses"), 9, 39_000],
      [await load(topic, ".tutor button.primary"), 17, 119_000],
    ] as const;
    for (const [[requests, bytes], maxRequests, maxBytes] of bounds) {
      expect(requests).toBeLessThanOrEqual(maxRequests);
      expect(bytes).toBeGreaterThan(30_000);
      expect(bytes).toBeLessThanOrEqual(maxBytes);
    }
  });
});
