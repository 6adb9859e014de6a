import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { refuse } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import { demoPassword } from "../dev/seed/accounts.ts";
import { systemBrowser } from "../dev/system-browser.ts";

const folder = path.resolve(import.meta.dirname, "../../docs/images");
const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

/** Small enough for documentation, and still readable. */
const quality = 0.72;

/** Opens a signed-in user's page of that size. */
type Visitor = (name: string, size?: typeof desktop, isDark?: boolean) => Promise<Page>;

const visitorOf =
  (browser: Browser, base: string): Visitor =>
  async (name, size = desktop, isDark = false) => {
    const colorScheme = isDark ? "dark" : "light";
    const options = { viewport: size, colorScheme, locale: "en", reducedMotion: "reduce" } as const;
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(`${base}/app`);
    await page.getByLabel("E-mail").fill(`${name}@northgate.example`);
    await page.getByLabel("Password").fill(demoPassword);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.locator(".who .name").waitFor();
    return page;
  };

/** The browser encodes WebP, the smallest format that documentation can show. */
async function save(page: Page, name: string): Promise<void> {
  await page.waitForFunction("!document.querySelector('.skeleton')");
  await page.evaluate("document.activeElement.blur(); scrollTo(0, 0);");
  const png = (await page.screenshot()).toString("base64");
  const scratch = await page.context().newPage();
  const url = await scratch.evaluate<string>(`(async () => {
    const image = await createImageBitmap(await (await fetch("data:image/png;base64,${png}")).blob());
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", ${quality});
  })()`);
  await writeFile(path.join(folder, `${name}.webp`), Buffer.from(url.split(",")[1] ?? "", "base64"));
  await page.context().close();
  console.log(`docs/images/${name}.webp`);
}

/** Opens the topic from the catalog, or from the courses that the user teaches. */
async function openTopic(page: Page, list: "Catalog" | "Teaching", title: string): Promise<void> {
  await page.getByRole("link", { name: list }).click();
  await page.getByRole("link", { name: "Introduction to Signals", exact: true }).click();
  await page.getByRole("link", { name: title, exact: true }).click();
}

/** Follows a topic's path with one option per question. */
async function walk(page: Page, ...options: number[]): Promise<void> {
  await openTopic(page, "Catalog", "What is a signal?");
  await page.getByRole("button", { name: "Start with the tutor" }).click();
  const answers = page.locator(".answer:not(.telling)");
  for (const [step, option] of options.entries()) {
    await answers.nth(step).waitFor();
    await page.locator(".options button").nth(option).click();
  }
  await answers.nth(options.length).waitFor();
}

async function drawTutor(visitor: Visitor): Promise<void> {
  const page = await visitor("mina");
  await walk(page, 0);
  await page.getByLabel("Conversation menu").click();
  await page.getByRole("button", { name: "Open as a classmate" }).click();
  await page.getByText("of 2 answers were already stored").waitFor();
  await save(page, "tutor");
}

async function drawTree(visitor: Visitor): Promise<void> {
  const page = await visitor("helena");
  await openTopic(page, "Teaching", "The idea of the Fourier series");
  await page.getByRole("article", { name: "Start" }).waitFor();
  await save(page, "tree");
}

async function drawReports(visitor: Visitor): Promise<void> {
  const page = await visitor("priya");
  await page.getByRole("link", { name: "Reports" }).click();
  await page.locator(".plot").nth(2).waitFor();
  await save(page, "reports");
}

async function drawAdministration(visitor: Visitor): Promise<void> {
  const page = await visitor("edwin");
  const areas = page.getByRole("navigation", { name: "Areas of the administration" });
  await areas.getByRole("link", { name: "People", exact: true }).click();
  await page.getByRole("link", { name: "Roles", exact: true }).click();
  await page.getByRole("heading", { name: "Roles", exact: true }).waitFor();
  await page.locator(".lines li").nth(5).waitFor();
  await save(page, "administration");
}

async function drawAuthoring(visitor: Visitor): Promise<void> {
  const page = await visitor("helena");
  await page.getByRole("link", { name: "Teaching" }).click();
  for (const link of ["Write courses", "Introduction to Signals", "What is a signal?"])
    await page.getByRole("link", { name: link, exact: true }).click();
  await page.locator(".ProseMirror math").first().waitFor();
  await save(page, "authoring");
}

async function drawPhone(visitor: Visitor): Promise<void> {
  const page = await visitor("noor", phone, true);
  await page.getByRole("link", { name: "Introduction to Signals", exact: true }).click();
  await page.getByRole("link", { name: "Check: time shifts", exact: true }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("radio").first().check();
  await save(page, "phone");
}

async function drawHome(visitor: Visitor): Promise<void> {
  const page = await visitor("mina", phone);
  await page.locator(".course").first().waitFor();
  await save(page, "home");
}

export async function drawScreenshots(usage: string): Promise<void> {
  if (!systemBrowser)
    refuse("Chromium was not found. Install Debian's package, or set CHROMIUM to its path", usage);
  const dataFolder = await mkdtemp(path.join(tmpdir(), "learning-platform-screenshots-"));
  const platform = await startOwnPlatform(dataFolder);
  const browser = await chromium.launch({ executablePath: systemBrowser, args: ["--no-sandbox"] });
  try {
    const visitor = visitorOf(browser, platform.base);
    for (const draw of [
      ...[drawTutor, drawTree, drawReports, drawAdministration, drawAuthoring],
      ...[drawPhone, drawHome],
    ])
      await draw(visitor);
  } finally {
    await browser.close();
    await platform.stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
}
