import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { DateTimeField, readDateTimeField } from "../components/date-time-field.tsx";
import { Form } from "../components/form.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { formatDeadlineOmittingDayEnd, formatOpeningOmittingMidnight } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import type { SelectedModulesAndItems } from "./selection.ts";
import { DateShiftFields, readDateShiftFields } from "./shift-fields.tsx";

const deeds = ["publish", "hide", "shift", "set"] as const;
type Deed = (typeof deeds)[number];
type Change = Omit<Schemas["OutlineChange"], "dry_run">;
type Changes = Schemas["OutlineChanges"];

type SeveralProps = { course: number; chosen: SelectedModulesAndItems; onDone: () => void };

/** Bulk action on the selection: preview, then apply. A module includes its content. */
export function BulkOutlineChangeForm({ course, chosen, onDone }: SeveralProps) {
  const [deed, choose] = useState<Deed>("publish");
  const [trial, setTrial] = useState<{ wanted: Change; changes: Changes }>();
  useEffect(() => setTrial(undefined), [chosen, deed]);
  const count = chosen.modules.size + chosen.items.size;
  const send = (body: Schemas["OutlineChange"]) =>
    dataOf(apiClient.changeCourseOutline({ params: { path: { course_id: course } }, body }));
  const look = async (fields: FormData) => {
    const wanted = {
      module_ids: [...chosen.modules],
      with_content: true,
      content_item_ids: [...chosen.items],
      ...changeOf(deed, fields),
    };
    setTrial({ wanted, changes: await send({ ...wanted, dry_run: true }) });
  };
  const apply = async () => {
    if (!trial) return;
    await send({ ...trial.wanted, dry_run: false });
    setTrial(undefined);
    onDone();
  };
  return (
    <section class="card" aria-label={t("several")}>
      <p role="status">{t("several.chosen", { n: count })}</p>
      {count > 0 && (
        <Form send={look} submit={t("several.look")}>
          <LabeledSelect
            label={t("several.what")}
            value={deed}
            options={deeds.map((one) => [one, t(`several.${one}`)] as const)}
            onChoose={choose}
          />
          {deed === "shift" && <DateShiftFields shifts={["shift_days"]} />}
          {deed === "set" && (
            <>
              <p class="quiet">{t("several.set.about")}</p>
              <div class="fields">
                <DateTimeField name="available_from" label={t("available.from")} />
                <DateTimeField name="due_at" label={t("due.at")} />
              </div>
            </>
          )}
        </Form>
      )}
      {trial && <Trial changes={trial.changes} apply={apply} />}
    </section>
  );
}

/** Empty date fields change nothing. */
function changeOf(deed: Deed, fields: FormData): Partial<Change> {
  if (deed === "publish" || deed === "hide") return { is_published: deed === "publish" };
  if (deed === "shift") return readDateShiftFields(fields);
  const [available_from, due_at] = [
    readDateTimeField(fields, "available_from"),
    readDateTimeField(fields, "due_at"),
  ];
  return { ...(available_from && { available_from }), ...(due_at && { due_at }) };
}

function Trial({ changes, apply }: { changes: Changes; apply: () => Promise<void> }) {
  const { lines, changed, refused } = changes;
  return (
    <section aria-labelledby="several-trial">
      <h3 id="several-trial">{t("several.would", { n: changed })}</h3>
      <ul class="lines">
        {lines
          .filter(({ state }) => state !== "UNCHANGED")
          .map(({ content_item_id, module_id, title, state, before, after }) => (
            <li key={content_item_id ?? -module_id}>
              <span>{title}</span>
              <small class={state === "REFUSED" ? "fault" : undefined}>
                {state === "REFUSED" ? t("several.refused") : `${inWords(before)} → ${inWords(after)}`}
              </small>
            </li>
          ))}
      </ul>
      {changed > 0 && refused === 0 && (
        <ActionButton class="primary" run={apply}>
          {t("several.apply")}
        </ActionButton>
      )}
    </section>
  );
}

type Stated = Changes["lines"][number]["before"];

const inWords = ({ is_published, available_from, due_at }: Stated): string =>
  [
    t(is_published ? "state.published" : "state.draft"),
    available_from && t("calendar.dates.opens", { day: formatOpeningOmittingMidnight(available_from) }),
    due_at && t("due.on", { day: formatDeadlineOmittingDayEnd(due_at) }),
  ]
    .filter(Boolean)
    .join(", ");
