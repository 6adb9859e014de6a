import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { Form } from "../components/form.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { navigateAwayFromDeleted } from "../router.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseAuthoringLayout } from "./course-layout.tsx";
import { ExportQuestionsAsQtiButton } from "./export-questions.tsx";
import { ImportQuestionsForm } from "./import-questions.tsx";
import { PoolQuestionStatistics } from "./pool-statistics.tsx";
import { QuestionPoolFields, readQuestionPoolFields } from "./pools.tsx";
import { PublishedOrDraftBadge } from "./publish-toggle.tsx";
import { QuestionEditor } from "./question-editor.tsx";

type Pool = Schemas["QuestionPool"];
type Question = Schemas["Question"];
type PoolScreenProps = { course: string; pool: string };

export const QuestionPoolScreen = ({ course, pool }: PoolScreenProps) => (
  <CourseAuthoringLayout course={course} part="questions">
    {() => <PoolView course={course} pool={pool} />}
  </CourseAuthoringLayout>
);

function PoolView({ course, pool }: PoolScreenProps) {
  const path = { question_pool_id: Number(pool) };
  const query = useQuery((signal) => dataOf(apiClient.getQuestionPool({ params: { path }, signal })), [pool]);
  const questions = usePagedQuery(
    (part, signal) => dataOf(apiClient.listQuestions({ params: { path, query: part }, signal })),
    [pool],
  );
  const add = async (body: Schemas["QuestionCreate"]) => {
    await dataOf(apiClient.createQuestion({ params: { path }, body }));
    questions.query.again();
  };
  return (
    <>
      <BackLink route={["authoring", course, "questions"]}>{t("pools")}</BackLink>
      <QueryBoundary of={query}>
        {(found) => <PoolHead pool={found} course={course} query={query} />}
      </QueryBoundary>
      <PagedCardList of={questions} empty={t("questions.empty")}>
        {(one) => <QuestionView course={Number(course)} question={one} onChange={questions.query.again} />}
      </PagedCardList>
      <section class="card" aria-labelledby="new-question">
        <h2 id="new-question" tabIndex={-1}>
          {t("question.new")}
        </h2>
        <QuestionEditor course={Number(course)} submit={t("question.add")} send={add} />
      </section>
      <PoolQuestionStatistics pool={path.question_pool_id} />
      <ImportQuestionsForm
        course={Number(course)}
        pool={path.question_pool_id}
        onImported={questions.query.again}
      />
      <ExportQuestionsAsQtiButton pool={path.question_pool_id} />
    </>
  );
}

function PoolHead({ pool, course, query }: { pool: Pool; course: string; query: QueryHookResult<Pool> }) {
  const params = { path: { question_pool_id: pool.id } };
  const save = async (fields: FormData) =>
    query.set(await dataOf(apiClient.updateQuestionPool({ params, body: readQuestionPoolFields(fields) })));
  const remove = async () => {
    if (!confirm(t("pool.delete.sure", { title: pool.title }))) return;
    await dataOf(apiClient.deleteQuestionPool({ params }));
    navigateAwayFromDeleted("authoring", course, "questions");
  };
  return (
    <>
      <h2>{pool.title}</h2>
      {pool.description && <p class="quiet">{pool.description}</p>}
      <details>
        <summary>{t("pool.edit")}</summary>
        <Form send={save} submit={t("save")} done={t("saved")}>
          <QuestionPoolFields pool={pool} />
        </Form>
        <ActionButton class="quiet" run={remove}>
          {t("pool.delete")}
        </ActionButton>
      </details>
    </>
  );
}

type QuestionViewProps = { course: number; question: Question; onChange: () => void };

function QuestionView({ course, question, onChange }: QuestionViewProps) {
  const params = { path: { question_id: question.id } };
  const save = async (body: Schemas["QuestionCreate"]) => {
    await dataOf(apiClient.updateQuestion({ params, body }));
    onChange();
  };
  const remove = async () => {
    if (!confirm(t("question.delete.sure"))) return;
    await dataOf(apiClient.deleteQuestion({ params }));
    document.getElementById("new-question")?.focus();
    onChange();
  };
  return (
    <>
      <div class="line-head">
        <strong>{t(`question.${question.kind}`)}</strong>
        <small>{t("question.points", { n: question.points, version: question.version })}</small>
        <PublishedOrDraftBadge isOpen={question.is_active} />
      </div>
      <MarkdownWithFormulas source={question.question_text} byStaff />
      <LazyDisclosure label={t("edit")}>
        {() => (
          <>
            <QuestionEditor course={course} question={question} submit={t("save")} send={save} />
            <ActionButton class="quiet" run={remove}>
              {t("delete")}
            </ActionButton>
          </>
        )}
      </LazyDisclosure>
    </>
  );
}
