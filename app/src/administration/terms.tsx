import { dataOf, type Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { formatReportDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { EditOrDeleteForm } from "./edit-form.tsx";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type Term = Schemas["Term"];

export function TermsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const terms = usePagedQuery(
    (part, signal) =>
      dataOf(
        apiClient.listUniversityTerms({ params: { path, query: { ...part, sort: "-starts_on" } }, signal }),
      ),
    [university],
  );
  const create = async (fields: FormData) => {
    await dataOf(apiClient.createUniversityTerm({ params: { path }, body: termOf(fields) }));
    terms.query.again();
  };
  return (
    <UniversityAdministrationLayout university={university} part="terms" title={t("terms")}>
      <PagedCardList of={terms} empty={t("terms.empty")}>
        {(term) => <TermView term={term} onChange={terms.query.again} />}
      </PagedCardList>
      <NewEntryCard id="new-term" title={t("terms.new")} submit={t("terms.create")} send={create}>
        <TermFields />
      </NewEntryCard>
    </UniversityAdministrationLayout>
  );
}

const termOf = (fields: FormData): Schemas["TermCreate"] => ({
  name: readTextField(fields, "name"),
  starts_on: readTextField(fields, "starts_on"),
  ends_on: readTextField(fields, "ends_on"),
});

function TermFields({ term }: { term?: Term }) {
  return (
    <div class="fields">
      <Field name="name" label={t("title")}>
        <input maxLength={255} defaultValue={term?.name} required />
      </Field>
      <Field name="starts_on" label={t("terms.from")}>
        <input type="date" defaultValue={term?.starts_on} required />
      </Field>
      <Field name="ends_on" label={t("terms.to")}>
        <input type="date" defaultValue={term?.ends_on} required />
      </Field>
    </div>
  );
}

function TermView({ term, onChange }: { term: Term; onChange: () => void }) {
  const params = { path: { university_id: term.university_id, term_id: term.id } };
  return (
    <>
      <div class="line-head">
        <strong>{term.name}</strong>
        <span class="quiet">
          {formatReportDay(term.starts_on)} – {formatReportDay(term.ends_on)}
        </span>
      </div>
      <EditOrDeleteForm
        save={(fields) => dataOf(apiClient.updateUniversityTerm({ params, body: termOf(fields) }))}
        remove={() => dataOf(apiClient.deleteUniversityTerm({ params }))}
        sure={t("terms.delete.sure")}
        onChange={onChange}
      >
        <TermFields term={term} />
      </EditOrDeleteForm>
    </>
  );
}
