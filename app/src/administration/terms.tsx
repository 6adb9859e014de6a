import { dataOf, type Schemas } from "learning-platform-client";
import { reportDay } from "../format.ts";
import { Action } from "../parts/action.tsx";
import { Form, typed } from "../parts/form.tsx";
import { Listed, usePaged } from "../parts/paged.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { UniversityScreen } from "./university-screen.tsx";

type Term = Schemas["Term"];

/** The terms of a university, the latest first. */
export function TermsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const terms = usePaged(
    (part, signal) =>
      dataOf(api.listUniversityTerms({ params: { path, query: { ...part, sort: "-starts_on" } }, signal })),
    [university],
  );
  const create = async (fields: FormData) => {
    await dataOf(api.createUniversityTerm({ params: { path }, body: termOf(fields) }));
    terms.reading.again();
  };
  return (
    <UniversityScreen university={university} part="terms" title={t("terms")}>
      <Listed of={terms} empty={t("terms.empty")}>
        {(found) => (
          <ul class="stack">
            {found.map((term) => (
              <li key={`${term.id} ${term.updated_at}`} class="card">
                <TermView term={term} onChange={terms.reading.again} />
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <section class="card" aria-labelledby="new-term">
        <h2 id="new-term">{t("terms.new")}</h2>
        <Form send={create} submit={t("terms.create")} done={t("saved")} clears>
          <TermFields />
        </Form>
      </section>
    </UniversityScreen>
  );
}

const termOf = (fields: FormData): Schemas["TermCreate"] => ({
  name: typed(fields, "name"),
  starts_on: typed(fields, "starts_on"),
  ends_on: typed(fields, "ends_on"),
});

function TermFields({ term }: { term?: Term }) {
  return (
    <div class="fields">
      <label>
        {t("title")}
        <input name="name" maxLength={255} defaultValue={term?.name} required />
      </label>
      <label>
        {t("terms.from")}
        <input type="date" name="starts_on" defaultValue={term?.starts_on} required />
      </label>
      <label>
        {t("terms.to")}
        <input type="date" name="ends_on" defaultValue={term?.ends_on} required />
      </label>
    </div>
  );
}

function TermView({ term, onChange }: { term: Term; onChange: () => void }) {
  const params = { path: { university_id: term.university_id, term_id: term.id } };
  const save = async (fields: FormData) => {
    await dataOf(api.updateUniversityTerm({ params, body: termOf(fields) }));
    onChange();
  };
  const remove = async () => {
    if (!confirm(t("terms.delete.sure"))) return;
    await dataOf(api.deleteUniversityTerm({ params }));
    onChange();
  };
  return (
    <>
      <div class="line-head">
        <strong>{term.name}</strong>
        <span class="quiet">
          {reportDay(term.starts_on)} – {reportDay(term.ends_on)}
        </span>
      </div>
      <details>
        <summary>{t("edit")}</summary>
        <Form send={save} submit={t("save")}>
          <TermFields term={term} />
        </Form>
        <Action class="quiet" run={remove}>
          {t("delete")}
        </Action>
      </details>
    </>
  );
}
