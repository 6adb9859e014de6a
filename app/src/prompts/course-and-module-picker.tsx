import { allOf, dataOf, type Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { fetchEditableCourses } from "../authoring/editable-courses.ts";
import { EmptyMessage } from "../components/empty.tsx";
import { SelectByIdField, toTitleOption } from "../components/id-field.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

type Item = Schemas["ListedContentItem"];

type PlacesProps = {
  none: string;
  children: (items: Item[]) => ComponentChildren;
};

/** Picks one of the user's courses and a module to try a version in. */
export function CourseAndModulePicker({ none, children }: PlacesProps) {
  const { roles } = useCurrentUser();
  const [course, chooseCourse] = useState<number>();
  const courses = useQuery((signal) => fetchEditableCourses(roles, "", signal), []);
  return (
    <QueryBoundary of={courses}>
      {(found) =>
        found.length === 0 ? (
          <EmptyMessage>{t("places.none")}</EmptyMessage>
        ) : (
          <>
            <SelectByIdField
              name="course_id"
              label={t("places.course")}
              of={found.map(toTitleOption)}
              chosen={course}
              none=""
              required
              onChoose={chooseCourse}
            />
            {course !== undefined && (
              <Modules key={course} course={course} none={none}>
                {children}
              </Modules>
            )}
          </>
        )
      }
    </QueryBoundary>
  );
}

function Modules({ course, none, children }: PlacesProps & { course: number }) {
  const [module, choose] = useState<number>();
  const modules = useQuery(
    (signal) => allOf(apiClient.listCourseModules, { params: { path: { course_id: course } }, signal }),
    [course],
  );
  return (
    <QueryBoundary of={modules}>
      {(found) => (
        <>
          <SelectByIdField
            name="module_id"
            label={t("places.module")}
            of={found.map(toTitleOption)}
            chosen={module}
            none={none}
            onChoose={choose}
          />
          {module !== undefined && (
            <Items key={module} module={module}>
              {children}
            </Items>
          )}
        </>
      )}
    </QueryBoundary>
  );
}

function Items({ module, children }: Pick<PlacesProps, "children"> & { module: number }) {
  const params = { path: { module_id: module }, query: { fields: "summary" as const } };
  const items = useQuery((signal) => dataOf(apiClient.listModuleContent({ params, signal })), [module]);
  return (
    <QueryBoundary of={items}>
      {(found) => (found.length === 0 ? <EmptyMessage>{t("places.empty")}</EmptyMessage> : children(found))}
    </QueryBoundary>
  );
}
