import type { Browser, FrameLocator, Page } from "playwright-core";
import { type AppRoute, type PersonCredentials, visitAppAs } from "./visit.ts";

const packageIn = (page: Page): FrameLocator => page.frameLocator(".scorm-frame").frameLocator("#package");
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const closed = (page: Page) => page.getByRole("button", { name: "Continue", exact: true }).waitFor();

/**
 * Plays each SCO of an item: a bookmark on one device, its resumption and a score on another. Throws if a step does
 * not appear.
 */
export async function playScosOnTwoDevices(
  browser: Browser,
  route: AppRoute,
  learner: PersonCredentials,
  scos: number,
): Promise<void> {
  for (let left = scos; left > 0; left--) {
    const first = await visitAppAs(browser, route, learner);
    await press(first, left === scos ? "Start" : "Continue");
    await packageIn(first).getByText("Bookmark: none").waitFor();
    await packageIn(first).getByRole("button", { name: "Next page" }).click();
    await packageIn(first).getByText("Bookmark: page 2").waitFor();
    await press(first, "Save and close");
    await closed(first);
    await first.context().close();

    const second = await visitAppAs(browser, route, learner);
    await press(second, "Continue");
    await packageIn(second).getByText("Bookmark: page 2").waitFor();
    await packageIn(second).getByRole("button", { name: "Finish with 85" }).click();
    await press(second, "Save and close");
    await closed(second);
    await second.context().close();
  }
}
