import { allOf, dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { EmptyMessage } from "../components/empty.tsx";
import { SelectField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { toNameOption } from "../components/id-field.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { authorScopeFilters } from "../staff-scopes.ts";
import { t } from "../texts.ts";
import { CourseFields, readCourseFields } from "./course-fields.tsx";

type Named = { id: number; name: string };

export function NewCourseScreen() {
  const { roles } = useCurrentUser();
  const universities = useQuery(async (signal) => {
    const all = await allOf(apiClient.listUniversities, { params: { query: { limit: 1000 } }, signal });
    // A person with rights in a single course cannot create courses.
    const scopes = authorScopeFilters(roles).filter(({ course_id }) => course_id === undefined);
    return all.filter(({ id }) => scopes.some(({ university_id = id }) => university_id === id));
  }, []);
  return (
    <>
      <BackLink route={["authoring"]}>{t("courses")}</BackLink>
      <ScreenHeading title={t("course.new")} />
      <QueryBoundary of={universities}>
        {(found) =>
          found[0] ? (
            <NewCourse universities={found} first={found[0]} />
          ) : (
            <EmptyMessage>{t("courses.nowhere")}</EmptyMessage>
          )
        }
      </QueryBoundary>
    </>
  );
}

function NewCourse({ universities, first }: { universities: Named[]; first: Named }) {
  const [university, choose] = useState(first.id);
  const create = async (fields: FormData) => {
    const body = { university_id: university, ...readCourseFields(fields) };
    const { id } = await dataOf(apiClient.createCourse({ body }));
    location.hash = screenHref("authoring", id);
  };
  return (
    <Form class="form card" send={create} submit={t("course.create")}>
      {universities.length > 1 && (
        <SelectField
          name="university_id"
          label={t("reports.of")}
          of={universities.map(toNameOption)}
          chosen={university}
          onChoose={(id) => choose(Number(id))}
        />
      )}
      <CourseFields university={university} />
    </Form>
  );
}
