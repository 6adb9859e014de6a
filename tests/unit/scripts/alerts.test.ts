import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { metricFamilies } from "../../../lib/platform/metrics/families.ts";
import { alertRules, awsAlarms } from "../../../scripts/build/alerts/rules.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(path.join(tmpdir(), "alerts-"));
afterAll(() => rmSync(folder, { recursive: true }));

const samples = Object.entries(metricFamilies).flatMap(([name, { type }]) =>
  type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
);

/** Of Prometheus itself and its node_exporter. */
const others = ["up", "node_filesystem_avail_bytes", "node_filesystem_size_bytes"];

it("an alert uses existing metrics only, and quotes only symptoms of the page of operations", () => {
  const operations = readFileSync(path.join(root, "docs/operations.md"), "utf8");
  const atNight = operations.slice(operations.indexOf("## At night"), operations.indexOf("## Deploy"));
  for (const { id, expression } of alertRules) {
    const used = expression.match(/\b[a-z]+(_[a-z]+)+\b(?=[{[)]|$)|\bup\b/g) ?? [];
    expect(used, id).not.toEqual([]);
    expect(
      used.filter((name) => ![...samples, ...others].includes(name)),
      id,
    ).toEqual([]);
  }
  for (const { remedy } of [...alertRules, ...Object.values(awsAlarms)])
    for (const [, symptom = ""] of remedy.matchAll(/"([^"]+)"/g)) expect(atNight).toContain(symptom);
});

/** Series that fire an alert, and series that do not, as promtool writes them: start, step and repetitions. */
type Case = { fires: Record<string, string>; quiet: Record<string, string> };

const day = 86_400;
const histogram = (name: string, fast: string, all: string, bound: string) => ({
  [`${name}_bucket{le="${bound}"}`]: fast,
  [`${name}_bucket{le="60"}`]: all,
  [`${name}_bucket{le="+Inf"}`]: all,
});
const gauge = (series: string, fires: number, quiet: number): Case => ({
  fires: { [series]: `${fires}+0x120` },
  quiet: { [series]: `${quiet}+0x120` },
});
const counter = (series: string, fires: string): Case => ({
  fires: { [series]: fires },
  quiet: { [series]: "5+0x120" },
});

const cases: Record<string, Case> = {
  "lp-silent": { fires: {}, quiet: { 'up{job="learning-platform"}': "1+0x120" } },
  "lp-failures": {
    fires: {
      'http_requests_total{status="200"}': "0+90x120",
      'http_requests_total{status="503"}': "0+10x120",
    },
    quiet: {
      'http_requests_total{status="200"}': "0+99x120",
      'http_requests_total{status="503"}': "0+1x120",
    },
  },
  "lp-faults": counter('errors_total{type="internal",path="/"}', "0+1x120"),
  "lp-slow": {
    fires: histogram("http_request_duration_seconds", "0+50x120", "0+100x120", "10"),
    quiet: histogram("http_request_duration_seconds", "0+99x120", "0+100x120", "10"),
  },
  "lp-database": {
    fires: histogram("db_query_duration_seconds", "0+50x120", "0+100x120", "0.5"),
    quiet: histogram("db_query_duration_seconds", "0+99x120", "0+100x120", "0.5"),
  },
  "lp-unavailable": counter('errors_total{type="unavailable",path="/"}', "0+60x120"),
  "lp-questions": {
    fires: {
      'tutor_questions_total{outcome="read"}': "0+9x120",
      'tutor_questions_total{outcome="malformed"}': "0+1x120",
    },
    quiet: { 'tutor_questions_total{outcome="malformed"}': "0+0.1x120" },
  },
  "lp-llm-key": counter('llm_problems_total{problem="credit"}', "0+1x120"),
  "lp-schedule": gauge('schedule_overdue_seconds{of="mail"}', 7201, 1800),
  "lp-store": gauge("files_store_used_ratio", 0.86, 0.84),
  "lp-quota": gauge("files_quota_used_ratio", 0.91, 0.89),
  "lp-disk": {
    fires: { node_filesystem_avail_bytes: "14+0x120", node_filesystem_size_bytes: "100+0x120" },
    quiet: { node_filesystem_avail_bytes: "16+0x120", node_filesystem_size_bytes: "100+0x120" },
  },
  "lp-sequence": gauge('db_sequence_used_ratio{sequence="terms_id_seq"}', 0.76, 0.74),
  "lp-credentials": gauge('credential_expires_seconds{of="saml_own"}', 13 * day, 15 * day),
};

it("each alert has a case that fires it", () => {
  expect(Object.keys(cases).toSorted()).toEqual(alertRules.map(({ id }) => id).toSorted());
});

const hasPromtool = !spawnSync("promtool", ["--version"]).error;
describe.skipIf(!hasPromtool)(
  hasPromtool ? "by Prometheus" : "by Prometheus: skipped, promtool is not installed (Debian: prometheus)",
  () => {
    const rules = path.join(root, "docs/reference/prometheus-alerts.yml");

    it("the rules are valid", () => {
      const said = execFileSync("promtool", ["check", "rules", rules], { encoding: "utf8" });
      expect(said).toContain(`SUCCESS: ${alertRules.length} rules found`);
    });

    it("each alert fires for its case, and for no other state", () => {
      const tests = Object.entries(cases).flatMap(([id, { fires, quiet }]) =>
        [fires, quiet].map((series) => ({
          interval: "1m",
          input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
          promql_expr_test: [
            {
              expr: `count(ALERTS{alertstate="firing",id="${id}"}) or vector(0)`,
              eval_time: "100m",
              exp_samples: [{ labels: "{}", value: series === fires ? 1 : 0 }],
            },
          ],
        })),
      );
      const file = path.join(folder, "tests.yml");
      writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: "1m", tests }));
      const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", file], { encoding: "utf8" });
      expect(status, stdout + stderr).toBe(0);
    });
  },
);
