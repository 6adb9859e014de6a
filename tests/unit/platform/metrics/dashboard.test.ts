import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { metricFamilies } from "../../../../lib/platform/metrics/families.ts";

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

const dashboard: Dashboard = JSON.parse(
  readFileSync(new URL("../../../../docs/grafana-dashboard.json", import.meta.url), "utf8"),
);

type Alerts = {
  groups: {
    rules: { title: string; annotations: { description: string }; data: { model: { expr?: string } }[] }[];
  }[];
};

const alerts: Alerts = JSON.parse(
  readFileSync(new URL("../../../../docs/grafana-alerts.json", import.meta.url), "utf8"),
);

const samples = Object.entries(metricFamilies).flatMap(([name, { type }]) =>
  type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
);
const labels = new Set<string>(["le", ...Object.values(metricFamilies).flatMap((family) => family.labels)]);

it("the dashboard shows every family, and uses only existing samples and labels", () => {
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const asked = expressions.flatMap(
    (expr) => expr.match(/\b(?:http|db|errors|files|llm|lti|prompt|retention|saml|tutor)_\w+/g) ?? [],
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

it("the alerts use existing samples and labels, and each has a link to its runbook", () => {
  const rules = alerts.groups.flatMap((group) => group.rules);
  const operations = readFileSync(new URL("../../../../docs/operations.md", import.meta.url), "utf8");
  const atNight = operations.slice(operations.indexOf("## At night"), operations.indexOf("## Deploy"));
  for (const { title, annotations, data } of rules) {
    const asked = data.flatMap(
      ({ model }) => model.expr?.match(/\b(?:http|db|errors|files|prompt|tutor)_\w+/g) ?? [],
    );
    expect(
      asked.filter((sample) => !samples.includes(sample)),
      title,
    ).toEqual([]);
    const symptom = annotations.description.split("docs/operations.md: ")[1] ?? "no symptom";
    expect(atNight.toLowerCase(), title).toContain(symptom.toLowerCase());
  }
  expect(rules.length).toBeGreaterThan(4);
  expect(JSON.stringify(rules)).toContain("tutor_questions_total");
});
