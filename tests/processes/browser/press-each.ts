import type { Page } from "playwright-core";

/** Counts a page's requests, for waiting. */
export const countRequests = (page: Page) =>
  page.addInitScript(`(() => {
    globalThis.underWay = 0;
    const { fetch } = globalThis;
    globalThis.fetch = async (...asked) => {
      underWay++;
      try {
        return await fetch(...asked);
      } finally {
        // What is drawn of the answer comes right behind it.
        setTimeout(() => underWay--, 30);
      }
    };
  })()`);

/**
 * Focuses and presses each button and fold of the screen, including new ones, one of each text. Fills in
 * required fields. Returns the presses that lost the focus.
 */
const pressing = (but: string, most: number) => `(async () => {
  globalThis.confirm = () => true;
  globalThis.print = () => {};
  const { hash } = location;
  const settled = async () => {
    do await new Promise((then) => setTimeout(() => requestAnimationFrame(() => setTimeout(then)), 30));
    while (underWay > 0 || document.querySelector(".skeleton"));
  };
  const nameOf = (one) => (one.getAttribute("aria-label") ?? one.textContent).replaceAll(/\\d+/g, "0").trim();
  const pressed = new Set();
  const lost = [];
  await settled();
  while (pressed.size < ${most}) {
    const next = [...document.querySelectorAll("main button:enabled, main summary")]
      .find((one) => one.checkVisibility() && !one.matches(${JSON.stringify(but)}) && !pressed.has(nameOf(one)));
    if (!next) break;
    pressed.add(nameOf(next));
    next.focus();
    if (document.activeElement !== next) continue;
    for (const field of next.form?.querySelectorAll("textarea:required, input:not([type]):required") ?? []) {
      field.value ||= "signal";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    next.click();
    await settled();
    const at = document.activeElement;
    if (!at || at === document.body || at === document.documentElement) lost.push(nameOf(next));
    if (location.hash === hash) continue;
    location.hash = hash;
    await settled();
  }
  return { pressed: [...pressed], lost };
})()`;

/** `but` selects elements to skip; `most` limits the presses. */
export const pressEach = (page: Page, but = "[data-none]", most = 40) =>
  page.evaluate<{ pressed: string[]; lost: string[] }>(pressing(but, most));
