import type { Page } from "playwright-core";
import { expect } from "vitest";

/** More than any screen needs. */
const mostPresses = 150;

/**
 * The focused element: whether it has an outline, is fully visible and uncovered, and matches the selector
 * `wanted` and the words or label.
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

/** Presses Tab, or `Shift+Tab`, until the wanted element. Each stop on the way must be visible. */
export async function tabTo(page: Page, wanted: string, words = "", key = "Tab"): Promise<void> {
  for (let presses = 0; presses < mostPresses; presses += 1) {
    await page.keyboard.press(key);
    const look = () => page.evaluate<State>(stateOf(wanted, words));
    let state = await look();
    // Scrolling into view takes one of the next frames, as content above grows.
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
    // Between the last and first element, the focus is in the browser's own interface.
    if (state.isLost) continue;
    if (state.isWanted) return;
  }
  throw new Error(`No press of ${key} leads to ${wanted} ${words}`);
}

/** Waits until some element has the focus after the last key. */
export async function notLost(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate("document.activeElement !== document.body && document.activeElement !== null"))
    .toBe(true);
}

/** Tabs to an element, presses a key on it, and waits for the result. The focus must not be lost. */
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
