import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { systemBrowser } from "../../scripts/dev/system-browser.ts";
import { type HttpServer, startServer } from "../../server/http-server.ts";
import type { World } from "./world.ts";

export { systemBrowser };

/** Widths and heights in pixels. */
export const sizes = { phone: { width: 360, height: 780 }, desktop: { width: 1280, height: 900 } };

export type Size = keyof typeof sizes;

export type Visit = {
  page: Page;
  /** What the page loaded from elsewhere, and what it complained about. */
  complaints: string[];
};

/** A browser and a server of this world for the tests of a block; `visit` opens a path, or an address elsewhere, in a new page. */
export function openBrowser(
  world: World,
  { args = [] }: { args?: readonly string[] } = {},
): {
  visit(path: string, size?: Size): Promise<Visit>;
  url(): string;
} {
  let server: HttpServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await startServer({ deps: world.deps, port: 0 });
    browser = await chromium.launch({ executablePath: systemBrowser ?? "", args: ["--no-sandbox", ...args] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  return {
    url: () => server.url,
    async visit(path, size = "desktop") {
      const context = await browser.newContext({ viewport: sizes[size], locale: "en" });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("request", (request) => {
        const { host, protocol } = new URL(request.url());
        if (protocol.startsWith("http") && host !== new URL(server.url).host) complaints.push(request.url());
      });
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(new URL(path, server.url).href);
      return { page, complaints };
    },
  };
}
