import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { sizes } from "./browser.ts";

const axe = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violation = { id: string; nodes: { html: string; failureSummary: string }[] };

/** What axe finds wrong with the page as it stands, a line each, and whether it is wider than the screen. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Colors are judged as they are, not while they fade.
  await page.emulateMedia({ reducedMotion: "reduce" });
  const violations = (await page.evaluate(
    `${await axe}; axe.run().then((found) => found.violations)`,
  )) as Violation[];
  const excess = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`),
    ...(excess > 0 ? [`the page is ${excess} pixels wider than the screen`] : []),
  ];
}

/** The same, as the page stands on a phone and on a desktop. */
export async function violationsOnEachSize(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size);
    faults.push(...(await violationsOf(page)).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

/** A desktop's window at 400 percent. */
const narrowest = { width: 320, height: 700 };

/** The same, and as it stands where it is narrowest. */
export async function violationsAlsoNarrow(page: Page): Promise<string[]> {
  const violations = await violationsOnEachSize(page);
  await page.setViewportSize(narrowest);
  const narrow = (await violationsOf(page)).map((violation) => `320 pixels: ${violation}`);
  await page.setViewportSize(sizes.desktop);
  return [...violations, ...narrow];
}
