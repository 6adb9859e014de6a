import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { metricFamilies } from "../../../../lib/platform/metrics/families.ts";

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

const dashboard: Dashboard = JSON.parse(
  readFileSync(new URL("../../../../docs/grafana-dashboard.json", import.meta.url), "utf8"),
);

const samples = Object.entries(metricFamilies).flatMap(([name, { type }]) =>
  type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
);
const labels = new Set<string>(["le", ...Object.values(metricFamilies).flatMap((family) => family.labels)]);

it("the dashboard shows every family, and uses only existing samples and labels", () => {
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const asked = expressions.flatMap(
    (expr) =>
      expr.match(/\b(?:credential|http|db|errors|files|llm|lti|prompt|retention|saml|schedule|tutor)_\w+/g) ??
      [],
  );
  expect(asked.filter((sample) => !samples.includes(sample))).toEqual([]);
  for (const name of Object.keys(metricFamilies))
    expect(
      asked.some((sample) => sample.startsWith(name)),
      name,
    ).toBe(true);
  const grouped = expressions.flatMap((expr) => [...expr.matchAll(/by \(([^)]+)\)|\{(\w+)=/g)]);
  const named = grouped.flatMap(([, list, one]) => (list ?? one ?? "").split(/,\s*/));
  expect(named.filter((label) => !labels.has(label))).toEqual([]);
});
