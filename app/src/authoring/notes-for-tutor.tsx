import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { pickChangedFields } from "../components/changed-fields.ts";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { type TextKey, t } from "../texts.ts";
import { nonEmptyLines } from "../work/non-empty-lines.ts";

type Notes = Schemas["TutorNotes"];

type Subject = { item: number } | { course: number };

type TutorNotesProps = { of: Subject; mayWrite: boolean };

/** Teacher notes that only the tutor reads. Assistants can view them. */
export const EditOrViewTutorNotes = (props: TutorNotesProps) => (
  <LazyDisclosureCard label={t("item" in props.of ? "tutor.notes.item" : "tutor.notes.course")}>
    {() => <NotesOf {...props} />}
  </LazyDisclosureCard>
);

function NotesOf({ of, mayWrite }: TutorNotesProps) {
  const query = useQuery((signal) => read(of, signal), [of]);
  return (
    <>
      <p class="quiet">{t("tutor.notes.about")}</p>
      <QueryBoundary of={query}>
        {(notes) => (mayWrite ? <Written of={of} notes={notes} query={query} /> : <Shown notes={notes} />)}
      </QueryBoundary>
    </>
  );
}

const read = (of: Subject, signal: AbortSignal): Promise<Notes> =>
  "item" in of
    ? dataOf(apiClient.getContentTutorNotes({ params: { path: { content_id: of.item } }, signal }))
    : dataOf(apiClient.getCourseTutorNotes({ params: { path: { course_id: of.course } }, signal }));

function write(of: Subject, version: number, body: Schemas["TutorNotesUpdate"]): Promise<Notes> {
  const header = ifMatch(version);
  return "item" in of
    ? dataOf(apiClient.setContentTutorNotes({ params: { path: { content_id: of.item }, header }, body }))
    : dataOf(apiClient.setCourseTutorNotes({ params: { path: { course_id: of.course }, header }, body }));
}

const lists = [
  ["key_facts", "tutor.notes.key_facts"],
  ["common_errors", "tutor.notes.common_errors"],
  ["never_say", "tutor.notes.never_say"],
] as const satisfies readonly (readonly [keyof Notes, TextKey])[];

function Written({ of, notes, query }: { of: Subject; notes: Notes; query: QueryHookResult<Notes> }) {
  const save = async (fields: FormData, present = notes) => {
    const wanted = { notes: readTextField(fields, "notes"), ...linesIn(fields) };
    query.set(await write(of, present.version, pickChangedFields(wanted, notes)));
  };
  return (
    <Form
      send={save}
      onPresent={query.set}
      submit={t("save")}
      done={t("saved")}
      draft={"item" in of ? `tutor notes of item ${of.item}` : `tutor notes of course ${of.course}`}
    >
      <Field name="notes" label={t("tutor.notes.notes")}>
        <textarea rows={6} maxLength={20_000} defaultValue={notes.notes} />
      </Field>
      {lists.map(([name, label]) => (
        <Field key={name} name={name} label={t(label)} about={t("tutor.notes.lines")}>
          <textarea rows={3} defaultValue={notes[name].join("\n")} />
        </Field>
      ))}
    </Form>
  );
}

/** The form's lists, one entry a line. */
const linesIn = (fields: FormData) => ({
  key_facts: nonEmptyLines(readTextField(fields, "key_facts")),
  common_errors: nonEmptyLines(readTextField(fields, "common_errors")),
  never_say: nonEmptyLines(readTextField(fields, "never_say")),
});

function Shown({ notes }: { notes: Notes }) {
  const filled = lists.filter(([name]) => notes[name].length > 0);
  if (notes.notes === "" && filled.length === 0) return <EmptyMessage>{t("tutor.notes.none")}</EmptyMessage>;
  return (
    <>
      <MarkdownWithFormulas source={notes.notes} />
      {filled.map(([name, label]) => (
        <section key={name}>
          <h2>{t(label)}</h2>
          <ul>
            {notes[name].map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
