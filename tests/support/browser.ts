import { setTimeout } from "node:timers/promises";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { systemBrowser } from "../../scripts/dev/system-browser.ts";
import { type HttpServer, startServer } from "../../server/http-server.ts";
import type { World } from "./world.ts";

export { systemBrowser };

/** In pixels. */
export const sizes = { phone: { width: 360, height: 780 }, desktop: { width: 1280, height: 900 } };

export type Size = keyof typeof sizes;

/** Longer than polls wait: Playwright names what did not appear before the test times out. */
const patienceMs = 240_000;

export type Visit = {
  page: Page;
  /** Requests to other origins, and console errors. */
  complaints: string[];
};

/** Tests run on two busy processors. Optimizing scripts that run for seconds costs more than it saves. */
const frugal = ["--no-sandbox", "--disable-gpu", "--js-flags=--single-threaded --no-maglev --no-turbofan"];

/** Headless browsers hint fonts differently from headed ones. */
const drawing = ["--font-render-hinting=slight"];

const launch = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: systemBrowser ?? "", args: [...frugal, ...drawing, ...args] });

/**
 * Shared by the files of a worker: starting a browser takes a second. Each page has its own cookies and
 * cache.
 */
let shared: Promise<Browser> | undefined;
const sharedBrowser = (): Promise<Browser> => {
  shared ??= launch();
  return shared;
};

/**
 * A browser and a server of this world for the tests of a block. `visit` opens a path or URL in a new page.
 * With arguments, the browser is not shared.
 */
export function openBrowser(
  world: World,
  { args }: { args?: readonly string[] } = {},
): {
  visit(path: string, size?: Size): Promise<Visit>;
  url(): string;
} {
  let server: HttpServer;
  let browser: Browser;
  const contexts = new Set<BrowserContext>();

  beforeAll(async () => {
    server = await startServer({ deps: world.deps, port: 0 });
    browser = await (args ? launch(args) : sharedBrowser());
  });
  afterAll(async () => {
    await Promise.all([...contexts].map((context) => context.close()));
    if (args) await browser?.close();
    await server?.close();
  });

  return {
    url: () => server.url,
    async visit(path, size = "desktop") {
      // Animations would redraw while a test waits.
      const seen = { viewport: sizes[size], locale: "en", reducedMotion: "reduce" } as const;
      const context = await browser.newContext(seen);
      contexts.add(context);
      context.setDefaultTimeout(patienceMs);
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
      const tell = telling(page, complaints);
      afterThisTest(async (hasFailed) => {
        if (hasFailed) await tell();
        // Animations and polling would go on until the end of the file.
        contexts.delete(context);
        await context.close();
      });
      await page.goto(new URL(path, server.url).href);
      return { page, complaints };
    },
  };
}

/** How many of the last API requests are reported. */
const told = 20;

/** Runs `then` after the current test, if there is one. */
function afterThisTest(then: (hasFailed: boolean) => Promise<void>): void {
  try {
    onTestFinished(({ task }) => then(task.result?.state === "fail"));
  } catch {
    // In a beforeAll hook there is no test.
  }
}

/** Returns a function that describes the page, its frames and its last requests, for waits that failed. */
function telling(page: Page, complaints: readonly string[]): () => Promise<void> {
  const requests: string[] = [];
  const note = (line: string) => {
    if (!line.includes("/api/")) return;
    requests.push(line);
    requests.splice(0, requests.length - told);
  };
  page.on("request", (request) => note(`${request.method()} ${request.url()}`));
  page.on("response", (response) =>
    note(`  ${response.status()} of ${response.request().method()} ${response.url()}`),
  );
  page.on("requestfailed", (request) =>
    note(`  ${request.failure()?.errorText} of ${request.method()} ${request.url()}`),
  );
  return async () => {
    if (page.isClosed()) return;
    console.error([...requests, ...complaints].join("\n"));
    for (const frame of page.frames()) {
      // A frame that does not respond would block the end of the test.
      const shown = await Promise.race([
        frame.evaluate<string>(standing).catch((error: Error) => error.message),
        // biome-ignore lint/plugin: the test has failed already
        setTimeout(60_000, "It does not answer."),
      ]);
      console.error(`${frame.url()}\n${shown}`);
    }
  };
}

/** A page's text, its fields' values except passwords, and the focused element. */
const standing = `[
  document.body.innerText.slice(0, 5000),
  ...[...document.querySelectorAll("form [name]:not([type=password])")]
    .map((field) => field.name + " = " + field.value + " " + field.validationMessage),
  "focus: " + document.activeElement?.outerHTML.slice(0, 300),
].join("\\n")`;
