import { AggregatorRegistry } from "prom-client";
import { type MetricFamily, metricFamilies } from "./families.ts";
import type { MetricSample } from "./store.ts";

export const expositionContentType = "text/plain; version=0.0.4; charset=utf-8";

/** Prometheus's text format, including families without samples. */
export function formatExposition(samples: readonly MetricSample[]): Promise<string> {
  const metrics = Object.entries(metricFamilies).map(([name, family]) => ({
    name,
    ...describe(family),
    values:
      family.type === "histogram"
        ? histogramOf(name, family, samples)
        : inOrder(family, samplesOf(name, samples)),
  }));
  return AggregatorRegistry.aggregate([metrics]).metrics();
}

const describe = ({ type, help }: MetricFamily) => ({ type, help, aggregator: "sum" });

type Value = { metricName: string; labels: MetricSample["labels"]; value: number };

const samplesOf = (name: string, samples: readonly MetricSample[]): Value[] =>
  samples.flatMap(({ sample, labels, value }) =>
    sample === name ? [{ metricName: name, labels, value }] : [],
  );

/** JSON objects from the database have no order of keys. */
const inOrder = (family: MetricFamily, values: Value[]): Value[] =>
  values.map(({ labels, ...value }) => ({
    ...value,
    labels: Object.fromEntries(family.labels.map((label) => [label, labels[label] ?? ""])),
  }));

type Histogram = Extract<MetricFamily, { type: "histogram" }>;

/** Cumulative; the last bucket is the count. Includes stored bounds that are no longer configured. */
function histogramOf(name: string, { buckets }: Histogram, samples: readonly MetricSample[]): Value[] {
  const stored = new Map(
    samplesOf(`${name}_bucket`, samples).map(({ labels, value }) => [labels["le"], value]),
  );
  const known = [...stored.keys()].map(Number).filter(Number.isFinite);
  const bounds = [...new Set([...buckets, ...known])].sort((one, other) => one - other);
  let count = 0;
  const cumulated = [...bounds.map(String), "+Inf"].map((le) => {
    count += stored.get(le) ?? 0;
    return { metricName: `${name}_bucket`, labels: { le }, value: count };
  });
  const sum = samplesOf(`${name}_sum`, samples)[0]?.value ?? 0;
  return [
    ...cumulated,
    { metricName: `${name}_sum`, labels: {}, value: sum },
    { metricName: `${name}_count`, labels: {}, value: count },
  ];
}
