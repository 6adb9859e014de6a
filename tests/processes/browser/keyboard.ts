import type { Page } from "playwright-core";
import { expect } from "vitest";

/** So many presses reach whatever a screen has. */
const mostPresses = 150;

/**
 * What has the focus: whether it is drawn around what has it, all of it is in sight and covered by nothing, and whether it is
 * that one of the page which `wanted` selects and whose words or label match.
 */
const stateOf = (wanted: string, words: string) => `(() => {
  const at = document.activeElement;
  if (!at || at === document.body || at === document.documentElement) return { isLost: true };
  const style = getComputedStyle(at);
  const box = at.getBoundingClientRect();
  const [x, y] = [box.left + Math.min(box.width / 2, innerWidth / 2), box.top + Math.min(box.height / 2, 20)];
  const over = document.elementFromPoint(x, y);
  const isInSight = box.width > 0 && x >= 0 && x <= innerWidth && y >= 0 && y <= innerHeight;
  const isCovered = over && !at.contains(over) && !over.contains(at) && !over.closest("label")?.contains(at);
  const isDrawn = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const said = (at.getAttribute("aria-label") ?? "") + " " + at.textContent + " " + [...(at.labels ?? [])].map((one) => one.textContent).join(" ");
  return {
    isLost: false, isSeen: isDrawn && isInSight && !isCovered,
    isWanted: at.matches(${JSON.stringify(wanted)}) && said.includes(${JSON.stringify(words)}),
    what: at.outerHTML.slice(0, 160) + " " + JSON.stringify({ isDrawn, x, y, isInSight, over: isCovered ? over.outerHTML.slice(0, 80) : null }),
  };
})()`;

type State = { isLost: boolean; isSeen?: boolean; isWanted?: boolean; what?: string };

/** Goes on by Tab to what is wanted, backwards with `Shift+Tab`; each stop on the way has to be seen. */
export async function tabTo(page: Page, wanted: string, words = "", key = "Tab"): Promise<void> {
  for (let presses = 0; presses < mostPresses; presses += 1) {
    await page.keyboard.press(key);
    const look = () => page.evaluate<State>(stateOf(wanted, words));
    let state = await look();
    // What scrolls into sight does so with one of the next frames, as what is drawn above it grows.
    if (!state.isLost && !state.isSeen)
      await expect
        .poll(
          async () => {
            state = await look();
            return state.isLost || state.isSeen;
          },
          { message: `the focus is seen on ${state.what}` },
        )
        .toBe(true);
    // Between the last and the first of a page stands the browser itself.
    if (state.isLost) continue;
    if (state.isWanted) return;
  }
  throw new Error(`No press of ${key} leads to ${wanted} ${words}`);
}

/** The focus is somewhere, once what the last key did is there. */
export async function notLost(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate("document.activeElement !== document.body && document.activeElement !== null"))
    .toBe(true);
}

/** Goes to something, presses a key on it, and waits for what comes of it: the focus is not lost by that. */
export async function pressOn(
  page: Page,
  wanted: string,
  words: string,
  then: string,
  { key = "Enter", by = "Tab" }: { key?: string; by?: string } = {},
): Promise<void> {
  await tabTo(page, wanted, words, by);
  await page.keyboard.press(key);
  await page.locator(then).first().waitFor();
  await notLost(page);
}
