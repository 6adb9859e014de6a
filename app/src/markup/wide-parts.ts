import { t } from "../texts.ts";

const wide = "wide";

/** Makes wide formulas, tables and code scroll, also by keyboard. Returns a cleanup function. */
export function makeWidePartsScrollable(text: HTMLElement): () => void {
  for (const part of text.querySelectorAll("table, math[display=block]")) wrap(part);
  const observer = new ResizeObserver(() => {
    for (const formula of text.querySelectorAll("math:not([display=block])")) {
      const box = formula.closest(`.${wide}`);
      const isTooWide = widthOf(formula) > widthOf(text);
      if (!box && isTooWide) wrap(formula);
      // There is room again: the formula returns to its line.
      if (box?.firstChild === formula && !isTooWide) box.replaceWith(formula);
    }
    for (const part of text.querySelectorAll<HTMLElement>(`.${wide}, pre`)) letReach(part);
  });
  for (const part of [text, ...text.querySelectorAll("math, table, pre")]) observer.observe(part);
  return () => observer.disconnect();
}

function wrap(part: Element): void {
  if (part.parentElement?.closest(`.${wide}`)) return;
  const box = document.createElement("span");
  box.className = wide;
  part.replaceWith(box);
  box.append(part);
}

function letReach(part: HTMLElement): void {
  if (part.scrollWidth <= part.clientWidth) {
    for (const name of ["tabindex", "role", "aria-label"]) part.removeAttribute(name);
    return;
  }
  part.tabIndex = 0;
  part.role = "group";
  part.ariaLabel = t("markup.wide");
}

const widthOf = (element: Element): number => element.getBoundingClientRect().width;
