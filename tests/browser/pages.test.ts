import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalServer, startServer } from "../../scripts/local/server.ts";
import { makersOf } from "../support/makers.ts";
import { openWorld } from "../support/world.ts";

/** A browser from the system's packages; nothing is downloaded, and without one these tests are left out. */
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);

const patience = { timeout: 20_000 };

describe.skipIf(!executablePath)("in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  let server: LocalServer;
  let browser: Browser;
  let operations: number;

  beforeAll(async () => {
    server = await startServer({ deps: world.deps, port: 0 });
    browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: object };
    operations = Object.values(document.paths).flatMap((path) => Object.keys(path)).length;
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Opens a page, and keeps what it loads from elsewhere and what it complains about. */
  async function open(path: string): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("request", (request) => {
      const { host, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && host !== new URL(server.url).host) complaints.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(server.url + path);
    return { page, complaints };
  }

  it("/docs lists every operation, asks no other host for anything, and has no complaint", async () => {
    const { page, complaints } = await open("/docs");
    await expect.poll(() => page.locator(".opblock").count(), patience).toBe(operations);
    expect(complaints).toEqual([]);
  });

  it("/docs tries an operation out with a token", async () => {
    const someone = await make.person();
    const { page } = await open("/docs");
    await page.locator(".btn.authorize").click();
    await page
      .locator("#auth-bearer-value")
      .first()
      .fill(String(await world.as(someone).token));
    await page.locator(".auth-container .btn.authorize").first().click();
    await page.locator(".btn-done").first().click();
    const operation = page.locator('.opblock-get:has([data-path="/api/v1/users/me"])');
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".btn.execute").click();
    const answer = operation.locator(".live-responses-table .response");
    await answer.locator(".response-col_status").waitFor();
    expect(await answer.locator(".response-col_status").innerText()).toContain("200");
    expect(await answer.innerText()).toContain(someone.email);
  });

  it("/redoc describes every operation, asks no other host for anything, and has no complaint", async () => {
    const { page, complaints } = await open("/redoc");
    const described = page.locator("[data-section-id^='tag/'][data-section-id*='/operation/']");
    await expect.poll(() => described.count(), patience).toBe(operations);
    expect(complaints).toEqual([]);
  });
});
