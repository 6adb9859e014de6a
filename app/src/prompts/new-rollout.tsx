import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { NumberField, SelectField } from "../components/field.tsx";
import { Form, readSelectField } from "../components/form.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { Notice } from "../components/notice.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t, withTranslatedLabels } from "../texts.ts";

type Version = Schemas["PromptVersionPage"]["versions"][number];
type RolloutCreate = Schemas["RolloutCreate"];
type Limits = Schemas["RolloutLimits"];
type Limit = keyof Limits;

/** Default limits: the first four are shares, the others factors. */
const limits: [Limit, number][] = [
  ["malformed", 0.02],
  ["refusals", 0.02],
  ["cut_offs", 0.02],
  ["downs", 0.02],
  ["length", 1.5],
  ["cost", 1.5],
  ["first_word", 1.5],
];

/** Starts a rollout and opens its report. The version's author cannot start it. */
export function NewRolloutForm({ name }: { name: string }) {
  const query = { page_size: 100 };
  const versions = useQuery(
    (signal) =>
      dataOf(apiClient.listPromptVersions({ params: { path: { prompt_name: name }, query }, signal })),
    [name],
  );
  return (
    <section class="card" aria-labelledby="new-rollout">
      <h2 id="new-rollout">{t("rollout.new")}</h2>
      <QueryBoundary of={versions}>
        {({ versions: all }) => <BeginWith name={name} versions={all.filter(isNoProduction)} />}
      </QueryBoundary>
    </section>
  );
}

const isNoProduction = ({ labels }: Version): boolean => !labels.includes("production");

function BeginWith({ name, versions }: { name: string; versions: Version[] }) {
  const { profile } = useCurrentUser();
  const [candidate, choose] = useState(String(versions[0]?.version ?? ""));
  const version = versions.find((one) => String(one.version) === candidate);
  if (!version) return <p>{t("rollout.no.candidate")}</p>;
  const begin = async (fields: FormData) => {
    const body = { candidate_version: version.version, ...rolloutOf(fields) };
    const { id } = await dataOf(
      apiClient.createPromptRollout({ params: { path: { prompt_name: name } }, body }),
    );
    location.hash = screenHref("prompts", name, "rollouts", id);
  };
  return (
    <>
      <div class="filters">
        <LabeledSelect
          label={t("rollout.candidate")}
          value={candidate}
          options={versions.map((one) => [String(one.version), `v${one.version}`])}
          onChoose={choose}
        />
      </div>
      {version.created_by === String(profile.id) ? (
        <Notice>{t("rollout.own")}</Notice>
      ) : (
        <Form send={begin} submit={t("rollout.begin")}>
          <p class="quiet">{t("rollout.needs")}</p>
          <div class="fields">
            <NumberField name="share" label={t("rollout.share")} min={1} max={50} value={10} required />
            <SelectField
              name="unit"
              label={t("rollout.unit")}
              about={t("rollout.unit.about")}
              of={withTranslatedLabels("rollout.unit", ["OFFERING", "PERSON"])}
              chosen="OFFERING"
            />
          </div>
          <fieldset>
            <legend>{t("rollout.limits")}</legend>
            <p class="quiet">{t("rollout.limits.about")}</p>
            <div class="fields">
              {limits.map(([limit, standard]) => (
                <NumberField
                  key={limit}
                  name={limit}
                  label={t(`rollout.limit.${limit}`)}
                  min={standard < 1 ? 0 : 1}
                  max={standard < 1 ? 1 : 100}
                  step="any"
                  value={standard}
                />
              ))}
            </div>
          </fieldset>
        </Form>
      )}
    </>
  );
}

const rolloutOf = (fields: FormData): Omit<RolloutCreate, "candidate_version"> => ({
  share: readNumberFieldOrNull(fields, "share") ?? 1,
  unit: readSelectField<RolloutCreate["unit"]>(fields, "unit"),
  stop: Object.fromEntries(limits.map(([limit]) => [limit, readNumberFieldOrNull(fields, limit)])) as Limits,
});
