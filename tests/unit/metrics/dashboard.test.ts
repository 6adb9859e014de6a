import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { families } from "../../../lib/metrics/families.ts";

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

const dashboard: Dashboard = JSON.parse(
  readFileSync(new URL("../../../docs/grafana-dashboard.json", import.meta.url), "utf8"),
);

const samples = Object.entries(families).flatMap(([name, { type }]) =>
  type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
);
const labels = new Set<string>(["le", ...Object.values(families).flatMap((family) => family.labels)]);

it("the dashboard shows every family, and asks for no sample and no label that there is not", () => {
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const asked = expressions.flatMap((expr) => expr.match(/\b(?:http|db|errors)_\w+/g) ?? []);
  expect(asked.filter((sample) => !samples.includes(sample))).toEqual([]);
  for (const name of Object.keys(families))
    expect(
      asked.some((sample) => sample.startsWith(name)),
      name,
    ).toBe(true);
  const grouped = expressions.flatMap((expr) => [...expr.matchAll(/by \(([^)]+)\)|\{(\w+)=/g)]);
  const named = grouped.flatMap(([, list, one]) => (list ?? one ?? "").split(/,\s*/));
  expect(named.filter((label) => !labels.has(label))).toEqual([]);
});
