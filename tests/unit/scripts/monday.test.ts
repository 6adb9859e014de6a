import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Limit, limitsOf, tableOf, throttleFor } from "../../../proof/capacity-model/limits.ts";
import type { Costs } from "../../../proof/capacity-model/morning.ts";
import { learnersOfTemplate, tableIn, usualMeans, usualMorning } from "../../../proof/capacity-model/page.ts";
import { readTemplate, type Template } from "../../../proof/capacity-model/template.ts";

const docs = path.resolve(import.meta.dirname, "../../../docs");

describe("docs/performance.md about a Monday", () => {
  let page: string;
  let template: Template;
  let limits: Limit[];

  beforeAll(async () => {
    page = await readFile(path.join(docs, "performance.md"), "utf8");
    const costs: Costs = JSON.parse(await readFile(path.join(docs, "performance-costs.json"), "utf8"));
    template = await readTemplate();
    limits = limitsOf(usualMorning(template), costs, usualMeans, template);
  });

  const bears = (name: string) => limits.find((one) => one.name === name)?.bears ?? 0;

  it("has the table that the model gives for the template and the costs as they are", () => {
    expect(tableIn(page)).toBe(tableOf(limits));
  });

  it("says in its sentences what the table says", () => {
    const [first, second] = limits.toSorted((one, other) => one.bears - other.bears);
    expect(page).toContain("**What gives way first is the LLM's quota**");
    expect([first?.name, second?.name].every((name) => /LLM|gateway/.test(name ?? ""))).toBe(true);
    expect(page).toContain("**Then the functions**");
    expect(page).toContain("**The database is no limit** here");
    for (const { name, bears: others } of limits)
      if (!/database|LLM|gateway/.test(name))
        expect(bears("the database's processors"), name).toBeGreaterThan(others);
    // Of two processors a quarter of eight.
    expect(bears("the database's processors") / 4).toBeGreaterThan(bears("requests at the gateway"));
    expect(bears("tokens to the LLM")).toBeLessThan(bears("calls of the LLM") / 2);
    expect(bears("functions")).toBeGreaterThan(
      Math.min(bears("calls of the LLM"), bears("tokens from the LLM")),
    );
  });

  it("has a template whose throttle is for as many learners as it says", () => {
    const { rate, burst } = throttleFor(learnersOfTemplate, usualMorning(template));
    expect([template.throttleRate, template.throttleBurst]).toEqual([rate, burst]);
    const said = learnersOfTemplate.toLocaleString("en").replace(",", " ");
    expect(page).toContain(`are for ${said} learners`);
  });
});
