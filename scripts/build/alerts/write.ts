import { type AlertRule, alertRules, awsAlarms } from "./rules.ts";

/** docs/reference/prometheus-alerts.yml, for `rule_files` of Prometheus. */
export function writePrometheusAlerts(): string {
  return `# Written by \`npm run generate alerts\` from scripts/build/alerts/rules.ts.
groups:
  - name: learning-platform
    rules:
${alertRules.map(prometheusRule).join("\n")}
`;
}

const prometheusRule = ({ id, title, minutes, ...rule }: AlertRule): string =>
  [
    `      - alert: ${quoted(title)}`,
    `        expr: ${quoted(conditionOf(rule))}`,
    `        for: ${minutes}m`,
    `        labels: { service: learning-platform, severity: ${rule.severity}, id: ${id} }`,
    "        annotations:",
    `          summary: ${quoted(rule.summary)}`,
    `          description: ${quoted(descriptionOf(rule))}`,
  ].join("\n");

/** A string of JSON is one of YAML. */
const quoted = (text: string): string => JSON.stringify(text);

const conditionOf = ({
  expression,
  comparison,
  threshold,
}: Pick<AlertRule, "expression" | "comparison" | "threshold">) =>
  `(${expression}) ${comparison} ${threshold}`;

const descriptionOf = ({ remedy }: Pick<AlertRule, "remedy">): string => `${remedy} docs/reference/alerts.md`;

/** docs/reference/grafana-alerts.json, for Grafana's `provisioning/alerting`. */
export function writeGrafanaAlerts(): string {
  const group = {
    ...{ orgId: 1, name: "Learning platform", folder: "Learning platform", interval: "1m" },
    rules: alertRules.map(grafanaRule),
  };
  const text = JSON.stringify({ apiVersion: 1, groups: [group] }, undefined, 2);
  // As the formatter prints a list of one number.
  return `${text.replaceAll(/\[\s+([\d.]+)\s+\]/g, "[$1]")}\n`;
}

function grafanaRule({ id, title, minutes, ...rule }: AlertRule) {
  const evaluator = { type: rule.comparison === ">" ? "gt" : "lt", params: [rule.threshold] };
  const query = (refId: string, datasourceUid: string, model: object) => ({
    ...{ refId, relativeTimeRange: { from: 600, to: 0 }, datasourceUid },
    model: { refId, ...model },
  });
  return {
    ...{ uid: id, title, condition: "C", for: `${minutes}m`, noDataState: "OK", execErrState: "Error" },
    labels: { service: "learning-platform", severity: rule.severity },
    annotations: { summary: rule.summary, description: descriptionOf(rule) },
    data: [
      query("A", "prometheus", { instant: true, expr: rule.expression }),
      query("C", "__expr__", { type: "threshold", expression: "A", conditions: [{ evaluator }] }),
    ],
  };
}

/** docs/reference/alerts.md: each alert with what to do. */
export function writeAlertsPage(): string {
  return `# Alerts

After this page you know when each alert fires, and what to do then.

\`npm run generate alerts\` writes this page, [prometheus-alerts.yml](prometheus-alerts.yml) and
[grafana-alerts.json](grafana-alerts.json) from [rules.ts](../../scripts/build/alerts/rules.ts). Quoted symptoms are rows of
[At night](../operations.md#at-night).

| Alert | Severity | Fires | After minutes | What to do |
| --- | --- | --- | ---: | --- |
${alertRules.map(pageRow).join("\n")}

## CloudWatch

With the parameter \`alarms\`, a deployment to AWS has these alarms, some once for each ten functions.

| Alarm | Fires | What to do |
| --- | --- | --- |
${awsRows.join("\n")}
`;
}

const awsRows = Object.entries(awsAlarms).map(
  ([name, { summary, remedy }]) => `| **${name}** | ${summary} | ${remedy} |`,
);

const pageRow = ({ title, severity, summary, remedy, minutes }: AlertRule): string =>
  `| **${title}** | ${severity} | ${summary} | ${minutes} | ${remedy} |`;
