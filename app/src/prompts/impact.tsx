import type { Schemas } from "learning-platform-client";
import { FactList, type LabelledFact } from "../components/facts.tsx";
import { formatNumber } from "../format.ts";
import { t } from "../texts.ts";

export function PromptImpactFacts({ impact }: { impact: Schemas["PromptImpact"] }) {
  const { prompts, content_types, courses, courses_total, cold_cache_nodes } = impact;
  const named: [string, string[]][] = [
    [t("impact.prompts"), prompts.map((one) => `${one.name} v${one.version}`)],
    [t("impact.kinds"), content_types.map((one) => one.label)],
    [t("impact.courses", { n: courses_total }), courses.map((one) => one.code)],
  ];
  return (
    <FactList
      of={[
        ...named.map(([label, names]): LabelledFact => [label, names.join(", ") || "–"]),
        [t("impact.answers"), formatNumber(cold_cache_nodes)],
      ]}
    />
  );
}
