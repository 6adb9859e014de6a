import { readFile } from "node:fs/promises";
import type { Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";
import { headed } from "./steps.ts";

/** Queries for screens that send no requests without one. */
const asked: Record<string, string> = { search: "?q=signal" };

/** The route of every screen that requires sign-in, with the first of each object. */
async function everyRoute(): Promise<string[]> {
  const source = await readFile(new URL("../../../app/src/screens.ts", import.meta.url), "utf8");
  const [signedIn = ""] = source.split("export const publicScreens");
  const patterns = [
    ...signedIn.matchAll(
      /^ {2}"?([\w:/-]*)"?: (?:onDemand|taught|authored|prompted|administration|\w+Screen)\b/gm,
    ),
  ];
  expect(patterns.length).toBeGreaterThan(40);
  // The deep linking screen sends no requests outside a launch.
  const asking = patterns.filter(([, pattern = ""]) => !pattern.startsWith("lti/links/"));
  return asking.map(([, pattern = ""]) => pattern.replaceAll(/:\w+/g, "1") + (asked[pattern] ?? ""));
}

describe.skipIf(!systemBrowser)("teachers and administrators, in a browser", () => {
  const { browser } = openStaffDemonstration();

  it("see on every screen that the service fails or the network is gone, without endless waiting", async () => {
    const { page } = await browser.visit("/app");
    await signInAs(page, "priya@northgate.example");
    await headed(page, "Administration");
    const routes = await everyRoute();
    const go = (route: string) =>
      page.evaluate(`new Promise((drawn) => {
        addEventListener("hashchange", () => setTimeout(drawn), { once: true });
        location.hash = "#/${route}";
      })`);
    const fates = [
      [
        "Something went wrong (503)",
        (route: Route) => route.fulfill({ status: 503, json: { detail: "no" } }),
      ],
      ["The service is unavailable.", (route: Route) => route.abort()],
    ] as const;
    for (const [words, meet] of fates) {
      await page.route("**/api/v1/**", meet);
      for (const route of routes) {
        await go(route);
        await page.getByText(words).first().waitFor();
        await page.locator(".skeleton").first().waitFor({ state: "detached" });
        await page.getByText("…", { exact: true }).first().waitFor({ state: "detached" });
      }
      await page.unroute("**/api/v1/**");
    }
  });
});
