import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openWorld } from "../../support/world.ts";
import { paragraphs, readTopic } from "./reader.ts";
import { chooseInTutor } from "./steps.ts";

const lines = (word: string, many: number) =>
  Array.from({ length: many }, (_, at) => `${word} ${at + 1}\n\n`).join("");

describe.skipIf(!systemBrowser)("a growing conversation", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  const log = (page: Page) => page.getByRole("log");
  const top = (page: Page) => log(page).evaluate((element) => element.scrollTop);
  /** The scroll position after smooth scrolling ends. */
  const settled = async (page: Page): Promise<number> => {
    let before = Number.NaN;
    const isStill = async () => {
      const now = await top(page);
      const isSame = now === before;
      before = now;
      return isSame;
    };
    await expect.poll(isStill, { interval: 200 }).toBe(true);
    return before;
  };
  const below = (page: Page) =>
    log(page).evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  const height = (page: Page) => log(page).evaluate((element) => element.scrollHeight);

  it("scrolls with its end until the reader scrolls up, and leads back to the end", async () => {
    world.llm.reset();
    const [first, second, third] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    if (!first || !second || !third) throw new Error("three of them");
    world.llm.script({
      chunks: [
        lines("first", 60),
        first.promise,
        lines("second", 60),
        second.promise,
        lines("third", 60),
        third.promise,
        "The end.",
      ],
    });
    const { page } = await readTopic(world, browser, { data: paragraphs(["Read."]) });
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.locator(".receiving p", { hasText: "first 60" }).waitFor();
    await expect.poll(() => below(page)).toBeLessThan(2);
    expect(await page.getByRole("button", { name: "Scroll to end" }).count()).toBe(0);

    await log(page).hover();
    await page.mouse.wheel(0, -600);
    await page.getByRole("button", { name: "Scroll to end" }).waitFor();
    const reading = await settled(page);
    const before = await height(page);
    first.resolve();
    await page.locator(".receiving p", { hasText: "second 60" }).waitFor();
    await expect.poll(() => height(page)).toBeGreaterThan(before);
    expect(await top(page)).toBeCloseTo(reading, 0);
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole("button", { name: "Scroll to end" }).click();
    await expect.poll(() => below(page)).toBeLessThan(2);
    // The button disappears; keyboard focus moves to the conversation.
    expect(await log(page).evaluate((element) => element === document.activeElement)).toBe(true);
    second.resolve();
    await page.locator(".receiving p", { hasText: "third 60" }).waitFor();
    await expect.poll(() => below(page)).toBeLessThan(2);

    await log(page).focus();
    await page.keyboard.press("PageUp");
    await page.getByRole("button", { name: "Scroll to end" }).waitFor();
    const offset = await settled(page);
    third.resolve();
    await page.getByText("The end.").waitFor();
    await expect.poll(() => page.locator(".receiving").count()).toBe(0);
    expect(await top(page)).toBeCloseTo(offset, 0);
  });

  it("shows a stored answer, and one of the class, from its beginning", async () => {
    world.llm.reset();
    world.llm.script({ chunks: [lines("line", 80)] });
    const { page } = await readTopic(world, browser, { data: paragraphs(["Read."]) });
    const isAtBeginning = (name: string) =>
      expect
        .poll(() =>
          page.evaluate<number>(
            `(() => { const log = document.querySelector("[role=log][aria-label='${name}']");
            const answers = log?.querySelectorAll(".answer:not(.receiving)") ?? [];
            const last = answers[answers.length - 1];
            return last ? Math.abs(last.getBoundingClientRect().top - log.getBoundingClientRect().top) : NaN })()`,
          ),
        )
        .toBeLessThan(8);
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.locator(".answer:not(.receiving) p", { hasText: "line 80" }).waitFor();
    await page.reload();
    await page.locator(".answer p", { hasText: "line 80" }).waitFor();
    await isAtBeginning("Conversation with the tutor");

    await chooseInTutor(page, "New conversation");
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.locator(".answer:not(.receiving) p", { hasText: "line 80" }).waitFor();
    await isAtBeginning("Conversation with the tutor");
    // Only the demonstration lets people sign in as others.
    await page.getByLabel("Conversation menu").click();
    await page.getByRole("button", { name: "Your conversations" }).waitFor();
    expect(await page.getByRole("button", { name: "Open as a classmate" }).count()).toBe(0);
  });
});
