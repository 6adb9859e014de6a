import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { Field, NumberField } from "../components/field.tsx";
import { Form, readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { formatDay, formatNumber } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { RetentionDryRunCard } from "./retention-dry-run.tsx";

type Retention = Schemas["Retention"];
type Period = Retention["periods"][number];
type Hold = Schemas["RetentionHold"];
type Run = Schemas["RetentionRun"];

/** The retention policy of a university. Requires the matching permission. */
export function RetentionPolicyAndHoldsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const retention = useQuery(
    (signal) => dataOf(apiClient.getRetention({ params: { path }, signal })),
    [university],
  );
  return (
    <>
      <ScreenHeading title={t("retention")} />
      <p class="quiet">{t("retention.about")}</p>
      <QueryBoundary of={retention}>
        {(value) => (
          <>
            <Periods path={path} retention={value} onSave={retention.set} />
            <RetentionDryRunCard
              path={path}
              isSet={value.periods.some(({ days }) => days !== null)}
              onRead={retention.again}
            />
          </>
        )}
      </QueryBoundary>
      <Holds path={path} />
      <Runs path={path} />
    </>
  );
}

export type UniversityPathParams = { university_id: number };

type PeriodsProps = { path: UniversityPathParams; retention: Retention; onSave: (value: Retention) => void };

/** The form shows the proposed values until a policy is saved. */
function Periods({ path, retention, onSave }: PeriodsProps) {
  const { periods, archive_days } = retention;
  const isNew = periods.every(({ set_at }) => set_at === null);
  const save = async (fields: FormData) => {
    const kinds = Object.fromEntries(periods.map(({ kind }) => [kind, readNumberFieldOrNull(fields, kind)]));
    const body = { kinds, archive_days: readNumberFieldOrNull(fields, "archive_days") ?? 0 };
    onSave(await dataOf(apiClient.setRetention({ params: { path }, body })));
  };
  return (
    <section class="card" aria-labelledby="periods">
      <h2 id="periods">{t("retention.periods")}</h2>
      <p class="quiet">{t(isNew ? "retention.proposed" : "retention.periods.about")}</p>
      <Form send={save} submit={t("save")} done={t("saved")}>
        <div class="fields">
          {periods.map((period) => (
            <NumberField
              key={period.kind}
              name={period.kind}
              label={t(`retention.${period.kind}`)}
              about={stateOf(period)}
              min={period.least_days}
              max={36_500}
              value={isNew ? period.proposed_days : period.days}
            />
          ))}
          <NumberField
            name="archive_days"
            label={t("retention.archive")}
            about={t("retention.archive.about")}
            min={0}
            max={36_500}
            value={archive_days}
            required
          />
        </div>
      </Form>
    </section>
  );
}

function stateOf({ days, counted_at, first_run_at }: Period): string {
  if (days === null || first_run_at === null) return t("retention.never");
  if (counted_at === null) return t("retention.uncounted");
  const isPast = new Date(first_run_at) <= new Date();
  return isPast ? t("retention.running") : t("retention.from", { day: formatDay(first_run_at) });
}

function Holds({ path }: { path: UniversityPathParams }) {
  const holds = usePagedQuery(
    (query, signal) => dataOf(apiClient.listRetentionHolds({ params: { path, query }, signal })),
    [path.university_id],
  );
  const place = async (fields: FormData) => {
    const offering = readNumberFieldOrNull(fields, "course_offering_id");
    const email = readTextFieldOrNull(fields, "email");
    const body = {
      reason: readTextField(fields, "reason"),
      held_until: readTextFieldOrNull(fields, "held_until"),
      ...(email !== null && { email }),
      ...(offering !== null && { course_offering_id: offering }),
    };
    await dataOf(apiClient.placeRetentionHold({ params: { path }, body }));
    holds.query.again();
  };
  return (
    <>
      <h2>{t("retention.holds")}</h2>
      <PagedLineList of={holds} empty={t("retention.holds.empty")}>
        {(hold) => <HoldLine hold={hold} onChange={holds.query.again} />}
      </PagedLineList>
      <NewEntryCard id="new-hold" title={t("retention.hold.new")} submit={t("retention.hold")} send={place}>
        <p class="quiet">{t("retention.hold.about")}</p>
        <div class="fields">
          <Field name="email" label={t("email")}>
            <input type="email" />
          </Field>
          <NumberField name="course_offering_id" label={t("retention.offering")} min={1} />
          <Field name="reason" label={t("retention.reason")}>
            <input required maxLength={500} />
          </Field>
          <Field name="held_until" label={t("retention.until")} about={t("retention.until.about")}>
            <input type="date" />
          </Field>
        </div>
      </NewEntryCard>
    </>
  );
}

function HoldLine({ hold, onChange }: { hold: Hold; onChange: () => void }) {
  const { id, university_id, full_name, course_title, course_offering_id, reason, held_until } = hold;
  const name = course_title
    ? `${course_title} (${course_offering_id})`
    : (full_name ?? t("retention.erased", { id: hold.user_id ?? 0 }));
  const release = async () => {
    if (!confirm(t("retention.release.sure", { name }))) return;
    await dataOf(apiClient.releaseRetentionHold({ params: { path: { university_id, hold_id: id } } }));
    onChange();
  };
  return (
    <li>
      <span>
        {name} <small>{reason}</small>
      </span>
      <span class="row">
        {held_until && (
          <small>{t("retention.held.until", { day: formatDay(`${held_until}T12:00:00`) })}</small>
        )}
        <ActionButton class="quiet" run={release} label={t("retention.release.of", { name })}>
          {t("retention.release")}
        </ActionButton>
      </span>
    </li>
  );
}

function Runs({ path }: { path: UniversityPathParams }) {
  const runs = usePagedQuery(
    (query, signal) => dataOf(apiClient.listRetentionRuns({ params: { path, query }, signal })),
    [path.university_id],
  );
  return (
    <>
      <h2>{t("retention.runs")}</h2>
      <PagedLineList of={runs} empty={t("retention.runs.empty")}>
        {(run) => (
          <li>
            <span>{formatDay(run.begun_at)}</span>
            <span class="quiet">{inWords(run)}</span>
          </li>
        )}
      </PagedLineList>
    </>
  );
}

const inWords = ({ forgotten, ended_at }: Run): string => {
  const counts = (Object.entries(forgotten) as [Period["kind"], number][]).map(
    ([kind, rows]) => `${t(`retention.${kind}`)}: ${formatNumber(rows)}`,
  );
  return [
    ...(counts.length > 0 ? counts : [t("retention.nothing")]),
    ...(ended_at ? [] : [t("retention.going")]),
  ].join(" · ");
};
