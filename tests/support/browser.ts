import { setTimeout } from "node:timers/promises";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { systemBrowser } from "../../scripts/dev/system-browser.ts";
import { type HttpServer, startServer } from "../../server/http-server.ts";
import type { World } from "./world.ts";

export { systemBrowser };

/** Widths and heights in pixels. */
export const sizes = { phone: { width: 360, height: 780 }, desktop: { width: 1280, height: 900 } };

export type Size = keyof typeof sizes;

/** As long as polls wait: Playwright names what did not appear, and the test has not ended. */
const patienceMs = 240_000;

export type Visit = {
  page: Page;
  /** What the page loaded from elsewhere, and what it complained about. */
  complaints: string[];
};

/** Nothing is drawn by another process, and scripts have no threads beside: two processors have enough to do. */
const frugal = ["--no-sandbox", "--disable-gpu", "--js-flags=--single-threaded"];

/** Without windows a browser would draw letters otherwise than with them. */
const drawing = ["--font-render-hinting=slight"];

const launch = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: systemBrowser ?? "", args: [...frugal, ...drawing, ...args] });

/** What the files of a worker share: a page has cookies and a cache of its own, and starting a browser takes its second. */
let shared: Promise<Browser> | undefined;
const sharedBrowser = (): Promise<Browser> => {
  shared ??= launch();
  return shared;
};

/**
 * A browser and a server of this world for the tests of a block; `visit` opens a path, or an address elsewhere, in a new
 * page. With arguments of its own it is a browser of its own.
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
      // What fades and turns is drawn again and again while a test waits.
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
        // What turns, blinks or asks again and again would do so until the last test of the file.
        contexts.delete(context);
        await context.close();
      });
      await page.goto(new URL(path, server.url).href);
      return { page, complaints };
    },
  };
}

/** How many of the last requests of the API are told. */
const told = 20;

/** Does something when the test has ended that runs, if one does. */
function afterThisTest(then: (hasFailed: boolean) => Promise<void>): void {
  try {
    onTestFinished(({ task }) => then(task.result?.state === "fail"));
  } catch {
    // Before the tests of a block there is none.
  }
}

/** Says, when it is called, what stands on a page and in its frames, and what became of its last requests: a wait that failed does not. */
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
      // A frame that has nothing to answer with would not let the test end.
      const shown = await Promise.race([
        frame.evaluate<string>(standing).catch((error: Error) => error.message),
        // biome-ignore lint/plugin: the test has failed already
        setTimeout(60_000, "It does not answer."),
      ]);
      console.error(`${frame.url()}\n${shown}`);
    }
  };
}

/** The words of a page, what its fields hold but for passwords, and what has the focus. */
const standing = `[
  document.body.innerText.slice(0, 5000),
  ...[...document.querySelectorAll("form [name]:not([type=password])")]
    .map((field) => field.name + " = " + field.value + " " + field.validationMessage),
  "focus: " + document.activeElement?.outerHTML.slice(0, 300),
].join("\\n")`;
