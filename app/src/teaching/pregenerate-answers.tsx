import { dataOf, PlatformError, type Schemas } from "learning-platform-client";
import { useEffect } from "preact/hooks";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { FactList, type LabelledFact } from "../components/facts.tsx";
import { CheckboxField, NumberField } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { usePolling } from "../components/polling.ts";
import { ProgressBar } from "../components/progress.tsx";
import { formatNumber } from "../format.ts";
import { formatCostWithEstimateMark, formatMoneyMicros } from "../format-money.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Warming = Schemas["Warming"];

type WarmAheadProps = {
  topic: number;
  mayWarm: boolean;
  onMade: () => void;
};

/** Pre-generates an item's answers before class, and shows the status. */
export const PregenerateAnswersPanel = (props: WarmAheadProps) => (
  <LazyDisclosureCard label={t("warm")}>{() => <Warmed {...props} />}</LazyDisclosureCard>
);

function Warmed({ topic, mayWarm, onMade }: WarmAheadProps) {
  const query = useQuery((signal) => readWarming(topic, signal), [topic]);
  const isUnderWay = query.value?.state === "WAITING" || query.value?.state === "RUNNING";
  usePolling(query, isUnderWay);
  const made = query.value?.nodes.made ?? 0;
  useEffect(() => {
    if (made > 0) onMade();
  }, [made]);
  const warm = async (fields: FormData) => {
    const version = readNumberFieldOrNull(fields, "version");
    const body = {
      most_nodes: readNumberFieldOrNull(fields, "most_nodes") ?? 1,
      at_once: isCheckboxFieldChecked(fields, "at_once"),
      ...(version !== null && { version }),
    };
    query.set(await dataOf(apiClient.warmContent({ params: { path: { content_id: topic } }, body })));
  };
  return (
    <QueryBoundary of={query}>
      {(warming) => (
        <>
          <p class="quiet">{t("warm.about")}</p>
          {warming ? <Standing warming={warming} /> : <p>{t("warm.never")}</p>}
          {mayWarm && !isUnderWay && (
            <Form send={warm} submit={t("warm.begin")}>
              <div class="fields">
                <NumberField
                  name="most_nodes"
                  label={t("warm.most")}
                  min={1}
                  max={1000}
                  value={50}
                  required
                />
                <NumberField
                  name="version"
                  label={t("warm.version")}
                  about={t("warm.version.about")}
                  min={1}
                />
                <CheckboxField name="at_once" label={t("warm.hasty")} about={t("warm.hasty.about")}>
                  <input type="checkbox" />
                </CheckboxField>
              </div>
            </Form>
          )}
        </>
      )}
    </QueryBoundary>
  );
}

/** The last run for the item, or null. */
async function readWarming(topic: number, signal: AbortSignal): Promise<Warming | null> {
  try {
    return await dataOf(apiClient.getContentWarming({ params: { path: { content_id: topic } }, signal }));
  } catch (error) {
    if (error instanceof PlatformError && error.status === 404) return null;
    throw error;
  }
}

function Standing({ warming }: { warming: Warming }) {
  const { state, stop_reason, prompt_name, prompt_version, model, estimate, nodes } = warming;
  const ended = nodes.planned - nodes.waiting;
  const facts: LabelledFact[] = [
    [t("warm.planned"), formatNumber(nodes.planned)],
    [t("warm.cost.most"), formatMoneyMicros(estimate.cost_micros)],
    [t("warm.cost"), formatCostWithEstimateMark(warming.cost_micros, warming.calls_estimated)],
    [t("warm.made"), formatNumber(nodes.made)],
    [t("warm.found"), formatNumber(nodes.found)],
    [t("warm.left.out"), formatNumber(nodes.left_out)],
    [t("warm.failed"), formatNumber(nodes.failed)],
  ];
  return (
    <>
      <p class="quiet">
        {prompt_name} v{prompt_version} · {model}
      </p>
      <ProgressBar
        percent={nodes.planned > 0 ? (100 * ended) / nodes.planned : 100}
        label={t("warm.progress")}
      />
      <p role="status">
        {t(`warm.state.${state}`)} {stop_reason && t(`warm.stop.${stop_reason}`)}
      </p>
      {warming.by_batch && <p class="quiet">{t("warm.batch")}</p>}
      <FactList of={facts} />
    </>
  );
}
