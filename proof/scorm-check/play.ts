import type { Browser, FrameLocator, Page } from "playwright-core";

export type LearnerCredentials = { email: string; password: string };

type Route = { base: string; hash: string };

/** Signs a learner in on another device, at an item. */
async function visit(
  browser: Browser,
  { base, hash }: Route,
  { email, password }: LearnerCredentials,
): Promise<Page> {
  const context = await browser.newContext({ locale: "en" });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(`${base}/app#${hash}`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  return page;
}

const packageIn = (page: Page): FrameLocator => page.frameLocator(".scorm-frame").frameLocator("#package");
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const closed = (page: Page) => page.getByRole("button", { name: "Continue", exact: true }).waitFor();

/**
 * Plays each SCO of an item: a bookmark on one device, its resumption and a score on another. Throws if a step does
 * not appear.
 */
export async function playScosOnTwoDevices(
  browser: Browser,
  route: Route,
  learner: LearnerCredentials,
  scos: number,
): Promise<void> {
  for (let left = scos; left > 0; left--) {
    const first = await visit(browser, route, learner);
    await press(first, left === scos ? "Start" : "Continue");
    await packageIn(first).getByText("Bookmark: none").waitFor();
    await packageIn(first).getByRole("button", { name: "Next page" }).click();
    await packageIn(first).getByText("Bookmark: page 2").waitFor();
    await press(first, "Save and close");
    await closed(first);
    await first.context().close();

    const second = await visit(browser, route, learner);
    await press(second, "Continue");
    await packageIn(second).getByText("Bookmark: page 2").waitFor();
    await packageIn(second).getByRole("button", { name: "Finish with 85" }).click();
    await press(second, "Save and close");
    await closed(second);
    await second.context().close();
  }
}
