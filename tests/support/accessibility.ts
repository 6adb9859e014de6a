import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { sizes } from "./browser.ts";

const axe = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violation = { id: string; nodes: { html: string; failureSummary: string }[] };

/**
 * Fields and buttons with a faint border or background (WCAG 2.2, 1.4.11: 3 to 1), which axe does not check.
 * A button without either is identified by its text.
 */
const faintEdges = `(() => {
  const painted = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    painted.clearRect(0, 0, 1, 1);
    painted.fillStyle = color;
    painted.fillRect(0, 0, 1, 1);
    return [...painted.getImageData(0, 0, 1, 1).data];
  };
  const linear = (part) => (part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const lightness = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const contrast = (one, other) => {
    const [dark, light] = [lightness(one), lightness(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const ground = rgba(getComputedStyle(at).backgroundColor);
      if (ground[3] === 255) return ground;
    }
    return [255, 255, 255, 255];
  };
  return [...document.querySelectorAll("button:enabled, .button, input:enabled, select:enabled, textarea:enabled")]
    .filter((control) => !["checkbox", "radio", "file", "range"].includes(control.type))
    .filter((control) => !control.closest("[inert], .unseen") && control.checkVisibility({ visibilityProperty: true }))
    .flatMap((control) => {
      const style = getComputedStyle(control);
      const [around, edge, own] = [groundOf(control.parentElement), rgba(style.borderTopColor), rgba(style.backgroundColor)];
      const hasEdge = edge[3] === 255 && style.borderTopStyle !== "none";
      if (!hasEdge && own[3] === 0 && control.matches("button, .button")) return [];
      const most = Math.max(hasEdge ? contrast(edge, around) : 1, own[3] === 255 ? contrast(own, around) : 1);
      return most >= 3 ? [] : [control.outerHTML.slice(0, 120) + " has an edge of " + most.toFixed(2) + " to 1"];
    });
})()`;

const schemes = ["dark", "light"] as const;

/** Elements with too faint an edge, in light and dark mode, one per line. */
async function faintEdgesOf(page: Page): Promise<string[]> {
  const faint: string[] = [];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    for (const edge of await page.evaluate<string[]>(faintEdges)) faint.push(`${colorScheme}: ${edge}`);
  }
  return faint;
}

/** Skips results that are not read here: frames, media that never load, and passed rules. */
const options = JSON.stringify({ resultTypes: ["violations"], iframes: false, preload: false });

/** In dark mode only the colors differ. */
const ofColors = JSON.stringify({ resultTypes: ["violations"], iframes: false, runOnly: ["color-contrast"] });

async function foundBy(page: Page, asked: string): Promise<string[]> {
  // Half a megabyte, injected once per document.
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(await axe);
  const found = await page.evaluate<Violation[]>(`axe.run(${asked}).then((found) => found.violations)`);
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

/** Violations in light mode, one per line, and whether the page is wider than the screen. */
const faultsOf = async (page: Page): Promise<string[]> => [
  ...(await foundBy(page, options)),
  ...(await excessOf(page)),
];

/** Screens already checked in dark mode: axe takes half a second for the colors of one. */
const judgedByNight = new Set<string>();

/** Color violations in dark mode, once per screen. Restores light mode. */
async function faultsByNight(page: Page): Promise<string[]> {
  const screen = await page.evaluate<string>(
    "(location.pathname + location.hash).replaceAll(/\\d+|[?].*/g, '')",
  );
  if (judgedByNight.has(screen)) return [];
  judgedByNight.add(screen);
  await page.emulateMedia({ colorScheme: "dark" });
  const faults = await foundBy(page, ofColors);
  await page.emulateMedia({ colorScheme: "light" });
  return faults.map((fault) => `dark: ${fault}`);
}

export async function excessOf(page: Page): Promise<string[]> {
  const excess = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  return excess > 0 ? [`the page is ${excess} pixels wider than the screen`] : [];
}

export async function violationsOf(page: Page): Promise<string[]> {
  // Stops transitions, which would fade the colors.
  await page.emulateMedia({ reducedMotion: "reduce" });
  return [...(await faultsByNight(page)), ...(await faintEdgesOf(page)), ...(await faultsOf(page))];
}

export async function violationsOnEachSize(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const faults = [...(await faultsByNight(page)), ...(await faintEdgesOf(page))];
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size);
    faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

const narrowest = { width: 320, height: 700 };

/** All violations of the page on a phone, on a desktop and at the smallest width. */
export async function violationsAlsoNarrow(page: Page): Promise<string[]> {
  const violations = await violationsOnEachSize(page);
  await page.setViewportSize(narrowest);
  const narrow = (await faultsOf(page)).map((violation) => `320 pixels: ${violation}`);
  await page.setViewportSize(sizes.desktop);
  return [...violations, ...narrow];
}

const widths = [320, 390, 768, 1024, 1280, 1600];

/** Widths at which the page is wider than the window, one per line, and the same for text of 200 %. */
export async function excessAtEachWidth(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    faults.push(...(await excessOf(page)).map((fault) => `${width}: ${fault}`));
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  faults.push(...(await excessOf(page)).map((fault) => `at 200 %: ${fault}`));
  await page.evaluate("document.documentElement.style.fontSize = ''");
  return faults;
}
