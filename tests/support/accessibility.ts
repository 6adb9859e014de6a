import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { sizes } from "./browser.ts";

const axe = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violation = { id: string; nodes: { html: string; failureSummary: string }[] };

/**
 * Fields and buttons whose edge can hardly be told from what is around them (WCAG 2.2, 1.4.11: 3 to 1), which axe does not
 * look at: by the border, or else by the ground. A button without either is told by its words.
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

/** What has too faint an edge, by day and by night, a line each. */
async function faintEdgesOf(page: Page): Promise<string[]> {
  const faint: string[] = [];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    for (const edge of await page.evaluate<string[]>(faintEdges)) faint.push(`${colorScheme}: ${edge}`);
  }
  return faint;
}

/** Of frames it is not in, of media that never load, and of what is in order, axe says nothing that would be read here. */
const options = JSON.stringify({ resultTypes: ["violations"], iframes: false, preload: false });

/** Of what axe looks at, colors alone are others by night. */
const ofColors = JSON.stringify({ resultTypes: ["violations"], iframes: false, runOnly: ["color-contrast"] });

async function foundBy(page: Page, asked: string): Promise<string[]> {
  // Half a megabyte, which each document is given once.
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(await axe);
  const found = await page.evaluate<Violation[]>(`axe.run(${asked}).then((found) => found.violations)`);
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

/** What axe finds wrong with the page by day, a line each, and whether it is wider than the screen. */
const faultsOf = async (page: Page): Promise<string[]> => [
  ...(await foundBy(page, options)),
  ...(await excessOf(page)),
];

/** Screens that were judged by night: axe takes half a second for the colors of one. */
const judgedByNight = new Set<string>();

/** Whatever is wrong with the colors of a screen by night, once for each; it stands by day afterwards. */
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

/** Whether the page is wider than the screen. */
export async function excessOf(page: Page): Promise<string[]> {
  const excess = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  return excess > 0 ? [`the page is ${excess} pixels wider than the screen`] : [];
}

/** All that is wrong with the page as it stands. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Colors are judged as they are, not while they fade.
  await page.emulateMedia({ reducedMotion: "reduce" });
  return [...(await faultsByNight(page)), ...(await faintEdgesOf(page)), ...(await faultsOf(page))];
}

/** The same, as the page stands on a phone and on a desktop. */
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

/** The same, and as it stands where it is narrowest. */
export async function violationsAlsoNarrow(page: Page): Promise<string[]> {
  const violations = await violationsOnEachSize(page);
  await page.setViewportSize(narrowest);
  const narrow = (await faultsOf(page)).map((violation) => `320 pixels: ${violation}`);
  await page.setViewportSize(sizes.desktop);
  return [...violations, ...narrow];
}
