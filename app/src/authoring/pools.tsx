import { dataOf, type Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseAuthoringLayout } from "./course-layout.tsx";

export const QuestionPoolsScreen = ({ course }: { course: string }) => (
  <CourseAuthoringLayout course={course} part="questions">
    {({ id, university_id }) => <Pools course={id} university={university_id} />}
  </CourseAuthoringLayout>
);

function Pools({ course, university }: { course: number; university: number }) {
  const pools = usePagedQuery(
    (part, signal) =>
      dataOf(apiClient.listQuestionPools({ params: { query: { ...part, course_id: course } }, signal })),
    [course],
  );
  const create = async (fields: FormData) => {
    const body = { university_id: university, course_id: course, ...readQuestionPoolFields(fields) };
    const { id } = await dataOf(apiClient.createQuestionPool({ body }));
    location.hash = screenHref("authoring", course, "questions", id);
  };
  return (
    <>
      <PagedLineList of={pools} empty={t("pools.empty")}>
        {({ id, title, description }) => (
          <li>
            <a href={screenHref("authoring", course, "questions", id)}>{title}</a>
            <small>{description}</small>
          </li>
        )}
      </PagedLineList>
      <NewEntryCard id="new-pool" title={t("pool.new")} submit={t("pool.create")} send={create}>
        <QuestionPoolFields />
      </NewEntryCard>
    </>
  );
}

export const QuestionPoolFields = ({ pool }: { pool?: Schemas["QuestionPool"] }) => (
  <div class="fields">
    <Field name="title" label={t("title")}>
      <input maxLength={255} defaultValue={pool?.title} required />
    </Field>
    <Field name="description" label={t("description")}>
      <input maxLength={20_000} defaultValue={pool?.description ?? ""} />
    </Field>
  </div>
);

export const readQuestionPoolFields = (fields: FormData) => ({
  title: readTextField(fields, "title"),
  description: readTextFieldOrNull(fields, "description"),
});
