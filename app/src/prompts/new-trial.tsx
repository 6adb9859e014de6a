import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { CheckboxField, NumberField, SelectField } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked, readSelectField } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { labelWithCurrency } from "../format-money.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";
import { CourseAndModulePicker } from "./course-and-module-picker.tsx";
import { type PromptVersionRouteProps, promptVersionPathParams } from "./version-layout.tsx";

type TrialCreate = Schemas["TrialCreate"];
type Kind = TrialCreate["kind"];

/** Stored units per typed unit. */
const microsOfOne = 1_000_000;

export function NewTrialForm(version: PromptVersionRouteProps) {
  const path = promptVersionPathParams(version);
  const [kind, choose] = useState<Kind>("STEP");
  const versions = useQuery(
    (signal) =>
      dataOf(
        apiClient.listPromptVersions({
          params: { path: { prompt_name: version.name }, query: { page_size: 100 } },
          signal,
        }),
      ),
    [version.name],
  );
  const create = async (fields: FormData) => {
    const { id } = await dataOf(apiClient.createPromptTrial({ params: { path }, body: trialOf(fields) }));
    location.hash = screenHref("prompts", version.name, "versions", version.version, "trials", id);
  };
  return (
    <section class="card" aria-labelledby="new-trial">
      <h2 id="new-trial">{t("trial.new")}</h2>
      <QueryBoundary of={versions}>
        {({ versions: all }) => (
          <Form send={create} submit={t("trial.prepare")}>
            <div class="fields">
              <SelectField
                name="against"
                label={t("trial.against")}
                about={t("trial.against.about")}
                of={all.map(({ version: one, labels }) => [one, [`v${one}`, ...labels].join(" · ")])}
                chosen={taughtBy(all, path.version)}
              />
              <SelectField
                name="kind"
                label={t("trial.kind")}
                about={t(`trial.kind.${kind}.about`)}
                of={withTranslatedLabels("trial.kind", ["STEP", "FREE", "LEAK"])}
                chosen={kind}
                onChoose={(value) => choose(value as Kind)}
              />
              {kind !== "LEAK" && (
                <NumberField
                  name="most_nodes"
                  label={t(kind === "STEP" ? "trial.most.nodes" : "trial.most.talks")}
                  min={1}
                  max={200}
                  value={50}
                  required
                />
              )}
              {kind === "STEP" && (
                <CheckboxField name="judge" label={t("trial.with.judge")} about={t("trial.with.judge.about")}>
                  <input type="checkbox" />
                </CheckboxField>
              )}
              <NumberField
                name="limit_micros"
                label={labelWithCurrency(t("trial.limit"))}
                about={t("trial.limit.about")}
                min={0.01}
                step={0.01}
                value={1}
                required
              />
              {kind !== "FREE" && (
                <CheckboxField name="at_once" label={t("trial.hasty")} about={t("trial.hasty.about")}>
                  <input type="checkbox" />
                </CheckboxField>
              )}
              <CourseAndModulePicker none={t("trial.whole.course")}>
                {(items) => (
                  <fieldset>
                    <legend>{t("trial.items")}</legend>
                    <p class="quiet">{t("trial.items.none")}</p>
                    {items.map(({ id, title }) => (
                      <CheckboxField key={id} name={`item.${id}`} label={title}>
                        <input type="checkbox" defaultChecked />
                      </CheckboxField>
                    ))}
                  </fieldset>
                )}
              </CourseAndModulePicker>
            </div>
          </Form>
        )}
      </QueryBoundary>
    </section>
  );
}

/** The default baseline of a trial: the production version, or the previous one. */
function taughtBy(all: Schemas["PromptVersionPage"]["versions"], tried: number): number {
  const taught = all.find(({ labels }) => labels.includes("production"));
  return taught?.version ?? Math.max(1, tried - 1);
}

function trialOf(fields: FormData): TrialCreate {
  const items = [...fields.keys()]
    .filter((name) => name.startsWith("item."))
    .map((name) => Number(name.slice(5)));
  const place =
    items.length > 0
      ? { content_item_ids: items }
      : { course_id: readNumberFieldOrNull(fields, "course_id") ?? 0 };
  return {
    against: readNumberFieldOrNull(fields, "against") ?? 1,
    kind: readSelectField<Kind>(fields, "kind"),
    judge: isCheckboxFieldChecked(fields, "judge"),
    at_once: isCheckboxFieldChecked(fields, "at_once"),
    most_nodes: fields.has("most_nodes") ? (readNumberFieldOrNull(fields, "most_nodes") ?? 1) : 50,
    limit_micros: Math.round((readNumberFieldOrNull(fields, "limit_micros") ?? 0) * microsOfOne),
    ...place,
  };
}
