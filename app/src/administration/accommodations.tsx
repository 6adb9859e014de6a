import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Field, NumberField } from "../components/field.tsx";
import { readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { describeAccommodation } from "../grading/accommodation-in-words.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Accommodation = Schemas["Accommodation"];

/** Accommodations of a university. Requires the permission `accommodation:write`. */
export function AccommodationsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const [q, search] = useState("");
  const given = usePagedQuery(
    async (part, signal) => {
      const query = { ...part, sort: "full_name", ...(q && { q }) } as const;
      const page = await dataOf(apiClient.listAccommodations({ params: { path, query }, signal }));
      return page.map((one) => ({ ...one, id: one.user_id }));
    },
    [university, q],
  );
  const give = async (fields: FormData) => {
    const body = {
      email: readTextField(fields, "email"),
      time_factor: readNumberFieldOrNull(fields, "time_factor") ?? 1,
      extra_days: readNumberFieldOrNull(fields, "extra_days") ?? 0,
      valid_until: readTextFieldOrNull(fields, "valid_until"),
    };
    await dataOf(apiClient.grantAccommodation({ params: { path }, body }));
    given.query.again();
  };
  return (
    <>
      <ScreenHeading title={t("more.time")} />
      <p class="quiet">{t("more.time.about")}</p>
      <SearchForm label={t("roster.search.number")} onSearch={search} />
      <PagedLineList of={given} empty={t(q ? "more.time.none" : "more.time.empty")}>
        {(one) => <GivenLine given={one} university_id={path.university_id} onChange={given.query.again} />}
      </PagedLineList>
      <NewEntryCard id="new-time" title={t("more.time.new")} submit={t("more.time.give")} send={give}>
        <p class="quiet">{t("more.time.new.about")}</p>
        <div class="fields">
          <Field name="email" label={t("email")}>
            <input type="email" required />
          </Field>
          <NumberField
            name="time_factor"
            label={t("more.time.factor")}
            min={1}
            max={3}
            step="any"
            value={1}
          />
          <NumberField name="extra_days" label={t("more.time.days")} min={0} max={365} value={0} />
          <Field name="valid_until" label={t("more.time.until")} about={t("more.time.until.about")}>
            <input type="date" />
          </Field>
        </div>
      </NewEntryCard>
    </>
  );
}

type LineProps = { given: Accommodation; university_id: number; onChange: () => void };

function GivenLine({ given, university_id, onChange }: LineProps) {
  const { user_id, full_name, email } = given;
  const withdraw = async () => {
    if (!confirm(t("more.time.withdraw.sure", { name: full_name }))) return;
    await dataOf(apiClient.withdrawAccommodation({ params: { path: { university_id, user_id } } }));
    onChange();
  };
  return (
    <li>
      <span>
        {full_name} <small>{email}</small>
      </span>
      <span class="row">
        <small>{describeAccommodation(given)}</small>
        <ActionButton class="quiet" run={withdraw} label={t("more.time.withdraw.of", { name: full_name })}>
          {t("more.time.withdraw")}
        </ActionButton>
      </span>
    </li>
  );
}
