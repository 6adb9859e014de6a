import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { Table } from "../components/table.tsx";
import { formatToOneDecimal } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { personNameInGrades } from "./person-name-in-grades.ts";

type Preview = Schemas["RegradePreview"];
type Question = Schemas["QuizQuestion"];
type Credit = Question["thrown_out"];

type QuizPath = { offering_id: number; content_item_id: number };
type RegradeProps = { path: QuizPath; onRegraded: () => void };

const previewOf = (path: QuizPath, query: { question_id?: number; thrown_out?: NonNullable<Credit> } = {}) =>
  dataOf(apiClient.previewQuizRegrade({ params: { path, query } }));

/** Grades closed attempts again after a preview, with corrected questions or without a faulty one. */
export function RegradeQuizPanel({ path, onRegraded }: RegradeProps) {
  const [note, setNote] = useState("");
  const [preview, setPreview] = useState<Preview>();
  const finish = (graded: number) => {
    setPreview(undefined);
    setNote(t("attempts.regraded", { n: graded }));
    onRegraded();
  };
  const regrade = async () => finish((await dataOf(apiClient.regradeQuiz({ params: { path } }))).graded);
  return (
    <>
      <p class="quiet">{t("attempts.regrade.about")}</p>
      <div class="row">
        <ActionButton run={regrade}>{t("attempts.regrade")}</ActionButton>
        <ActionButton class="quiet" run={async () => setPreview(await previewOf(path))}>
          {t("regrade.preview")}
        </ActionButton>
        <span role="status">{note}</span>
      </div>
      {preview && <Changes of={preview} />}
      <LazyDisclosure label={t("regrade.throw.out")}>
        {() => <Questions path={path} onRegraded={finish} />}
      </LazyDisclosure>
    </>
  );
}

type QuestionsProps = { path: QuizPath; onRegraded: (graded: number) => void };

function Questions({ path, onRegraded }: QuestionsProps) {
  const questions = usePagedQuery(
    (part, signal) => dataOf(apiClient.listQuizQuestions({ params: { path, query: part }, signal })),
    [path.offering_id, path.content_item_id],
  );
  return (
    <>
      <p class="quiet">{t("regrade.throw.out.about")}</p>
      <PagedList of={questions} empty={t("regrade.questions.none")}>
        {(found) => (
          <ul class="cards">
            {found.map((question) => (
              <li key={question.question_id} class="card">
                <MarkdownWithFormulas source={question.question_text} byStaff />
                <ThrowOut
                  path={path}
                  question={question}
                  onRegraded={(graded) => {
                    questions.query.again();
                    onRegraded(graded);
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

function ThrowOut({ path, question, onRegraded }: QuestionsProps & { question: Question }) {
  const [credit, setCredit] = useState<Credit>(question.thrown_out);
  const [preview, setPreview] = useState<Preview>();
  const { question_id } = question;
  const choose = (value: string) => {
    setCredit(value === "" ? null : (value as NonNullable<Credit>));
    setPreview(undefined);
  };
  const look = async () =>
    setPreview(await previewOf(path, { question_id, ...(credit && { thrown_out: credit }) }));
  const save = async (fields: FormData) => {
    const body = { thrown_out: credit, reason: readTextField(fields, "reason") };
    const { graded } = await dataOf(
      apiClient.throwOutQuestion({ params: { path: { ...path, question_id } }, body }),
    );
    setPreview(undefined);
    onRegraded(graded);
  };
  return (
    <>
      <Form send={save} submit={t("attempts.regrade")} done={t("saved")}>
        <div class="fields">
          <SelectField
            name="thrown_out"
            label={t("regrade.credit")}
            of={[
              ["", t("regrade.credit.kept")],
              ["full_points", t("regrade.credit.full_points")],
              ["no_points", t("regrade.credit.no_points")],
            ]}
            chosen={question.thrown_out}
            onChoose={choose}
          />
          <Field name="reason" label={t("decision.reason")}>
            <input maxLength={1000} required defaultValue={question.reason ?? ""} />
          </Field>
        </div>
      </Form>
      <ActionButton class="quiet" run={look}>
        {t("regrade.preview")}
      </ActionButton>
      {preview && <Changes of={preview} />}
    </>
  );
}

function Changes({ of: { attempts, changed, changes } }: { of: Preview }) {
  return (
    <>
      <p role="status">
        {t("regrade.changed", { changed, n: attempts })}
        {changes.length < changed && ` ${t("regrade.listed", { n: changes.length })}`}
      </p>
      {changes.length > 0 && (
        <Table
          label={t("regrade.table")}
          columns={[t("roster.name"), t("attempts.which"), t("regrade.former"), t("regrade.present")]}
        >
          {changes.map((one) => (
            <tr key={one.attempt_id}>
              <th scope="row">{personNameInGrades(one)}</th>
              <td>{one.attempt_number}</td>
              <td>{one.former ? inWords(one.former) : "–"}</td>
              <td>{inWords(one.present)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

const inWords = ({ score, max_score, passed }: Preview["changes"][number]["present"]): string =>
  `${formatToOneDecimal(score)} / ${formatToOneDecimal(max_score)} · ${t(passed ? "quiz.passed" : "quiz.failed")}`;
