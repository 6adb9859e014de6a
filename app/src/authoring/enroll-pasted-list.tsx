import { dataOf, eachOf, type Schemas } from "learning-platform-client";
import { useRef, useState } from "preact/hooks";
import { decodeTextGuessingEncoding } from "../components/decode-text.ts";
import { CheckboxField, Field } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked } from "../components/form.tsx";
import { SampleFileDownloads } from "../components/sample-files.tsx";
import { Table } from "../components/table.tsx";
import { FormSubmissionBlockedError } from "../error-classes.ts";
import { explainError, QueryBoundary, useQuery } from "../query.tsx";
import { classListCsvSample } from "../samples/people.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { type PastedPerson, parsePastedPeople } from "./pasted-people.ts";

type EnrollClassProps = { path: { course_id: number; offering_id: number } };

/** Rows of the preview. Longer lists are enrolled as a whole. */
const maxPreviewRows = 200;

/** Enrolls the people of a pasted list or a CSV file, after a preview with a reason for each line. */
export function EnrollPastedListForm({ path }: EnrollClassProps) {
  const [text, setText] = useState("");
  const [results, setResults] = useState<ReadonlyMap<string, string>>(new Map());
  const field = useRef<HTMLTextAreaElement>(null);
  const known = useQuery((signal) => readClass(path, signal), [path.offering_id]);
  const people = parsePastedPeople(text, { offering: path.offering_id, names: known.value ?? new Set() });
  const ready = people.filter(({ state }) => state === "ready");

  const put = (words: string) => {
    if (!field.current) return;
    field.current.value = words;
    field.current.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const enroll = async (fields: FormData) => {
    if (ready.length === 0) throw new FormSubmissionBlockedError(t("enroll.many.none"));
    const override = isCheckboxFieldChecked(fields, "override");
    const told = new Map<string, string>();
    let failed = 0;
    for (const { words, person } of ready) {
      const body = { course_offering_id: path.offering_id, ...person, ...(override && { override }) };
      try {
        const created = await dataOf(apiClient.createEnrollment({ body }));
        told.set(words, outcomeOf(created));
      } catch (fault) {
        failed += 1;
        told.set(words, explainError(fault));
      }
      setResults(new Map(told));
    }
    known.again();
    if (failed > 0) throw new FormSubmissionBlockedError(t("enroll.many.failed", { n: failed }));
  };
  return (
    <section class="card" aria-labelledby="enroll-class">
      <h2 id="enroll-class">{t("enroll.many")}</h2>
      <Form
        send={enroll}
        submit={t("enroll.many.submit", { n: ready.length })}
        done={t("enroll.many.done")}
        draft={`list of people for offering ${path.offering_id}`}
      >
        <Field name="people" label={t("enroll.many.list")} about={t("enroll.many.about")}>
          <textarea ref={field} rows={6} onInput={(event) => setText(event.currentTarget.value)} />
        </Field>
        <div class="row">
          <label>
            {t("enroll.many.file")}
            <input
              type="file"
              accept=".csv,.txt,text/csv,text/plain"
              onChange={async ({ currentTarget: { files } }) =>
                put(
                  files?.[0] ? decodeTextGuessingEncoding(new Uint8Array(await files[0].arrayBuffer())) : "",
                )
              }
            />
          </label>
        </div>
        <SampleFileDownloads samples={[classListCsvSample]} />
        <CheckboxField name="override" label={t("imports.override")}>
          <input type="checkbox" />
        </CheckboxField>
        {known.error !== undefined && <QueryBoundary of={known}>{() => null}</QueryBoundary>}
        {people.length > 0 && <Preview people={people} results={results} />}
      </Form>
    </section>
  );
}

const outcomeOf = (created: Schemas["Enrollment"] | Schemas["Offered"]): string =>
  "offer" in created
    ? t("enroll.many.offered")
    : created.status === "WAITLISTED"
      ? t("status.WAITLISTED")
      : t("enroll.done");

function Preview({ people, results }: { people: PastedPerson[]; results: ReadonlyMap<string, string> }) {
  return (
    <Table
      label={t("enroll.many.preview")}
      columns={[t("enroll.many.line"), t("enroll.many.person"), t("enroll.many.outcome")]}
    >
      {people.slice(0, maxPreviewRows).map(({ line, words, state }) => (
        <tr key={`${line} ${words}`}>
          <td>{line}</td>
          <td>{words}</td>
          <td>{results.get(words) ?? t(`enroll.line.${state}`)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Addresses and numbers of people who have a seat, in lowercase. */
async function readClass(path: EnrollClassProps["path"], signal: AbortSignal): Promise<Set<string>> {
  const params = { path, query: { limit: 1000 } };
  const known = new Set<string>();
  for await (const one of eachOf(apiClient.listCourseOfferingEnrollments, { params, signal }))
    if (one.status !== "DROPPED")
      for (const name of [one.email, one.external_id]) if (name) known.add(name.toLowerCase());
  return known;
}
