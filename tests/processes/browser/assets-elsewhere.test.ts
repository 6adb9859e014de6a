import { readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { createPatientServer } from "../../support/patient-server.ts";
import { openWorld } from "../../support/world.ts";

const types: Record<string, string> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2",
};

/** Responds like a bucket behind a CDN: its files, for pages of any origin. */
const bucket: RequestListener = async (request, response) => {
  const name = path.basename(new URL(request.url ?? "/", "http://cdn").pathname);
  const file = new URL(`../../../app/built/${name}`, import.meta.url);
  const found = await readFile(file).catch(() => undefined);
  response.writeHead(found ? 200 : 404, {
    "Content-Type": types[path.extname(name)] ?? "text/plain",
    "Access-Control-Allow-Origin": "*",
  });
  response.end(found);
};

const cdn = createPatientServer(bucket);
await new Promise<void>((resolve) => cdn.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${(cdn.address() as AddressInfo).port}`;

describe.skipIf(!systemBrowser)("the web application with its build on another origin, in a browser", () => {
  const world = openWorld({ APP_ASSETS_URL: `${origin}/learn/` });
  const browser = openBrowser(world);
  afterAll(() => {
    cdn.close();
  });

  it("loads its scripts and styles from there alone, also those of later screens, and everything else from the service", async () => {
    const { page, complaints } = await browser.visit("about:blank");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(new URL("/app", browser.url()).href);
    await page.getByRole("button", { name: "Sign in" }).first().waitFor();
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("button", { name: "Anmelden" }).first().waitFor();
    const rules = await page.evaluate<number>("document.styleSheets[0].cssRules.length");
    expect(rules).toBeGreaterThan(100);
    const parts = asked.filter((url) => /\.(js|css|woff2)$/.test(url));
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.filter((url) => !url.startsWith(`${origin}/learn/`))).toEqual([]);
    const others = asked.filter((url) => !parts.includes(url) && !url.startsWith("data:"));
    expect(others.filter((url) => !url.startsWith(browser.url()))).toEqual([]);
    expect(complaints.filter((complaint) => !complaint.includes(origin))).toEqual([]);
  });
});
