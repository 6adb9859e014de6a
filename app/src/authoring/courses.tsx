import { useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { PagingButtonRow } from "../components/paging-buttons.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { isInstructorBeyondOneCourse, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { fetchEditableCourses } from "./editable-courses.ts";
import { PublishedOrDraftBadge } from "./publish-toggle.tsx";

const pageSize = 60;

export function EditableCoursesScreen() {
  const person = useCurrentUser();
  const { roles } = person;
  const [q, search] = useState("");
  const [shown, show] = useState(pageSize);
  const courses = useQuery((signal) => fetchEditableCourses(roles, q, signal), [q]);
  return (
    <>
      <BackLink route={["teaching"]}>{t("teaching")}</BackLink>
      <ScreenHeading title={t("courses")}>
        {isInstructorBeyondOneCourse(person) && (
          <a class="button primary" href={screenHref("authoring", "new")}>
            {t("course.new")}
          </a>
        )}
      </ScreenHeading>
      <SearchForm label={t("catalog.search")} onSearch={search} />
      <QueryBoundary of={courses}>
        {(found) => (
          <>
            {found.length === 0 && <EmptyMessage>{t(q ? "courses.none" : "courses.empty")}</EmptyMessage>}
            <ul class="cards">
              {found.slice(0, shown).map((course) => (
                <li key={course.id} class="card course">
                  <p class="eyebrow">{course.code}</p>
                  <h2>
                    <a href={screenHref("authoring", course.id)}>{course.title}</a>
                  </h2>
                  <PublishedOrDraftBadge isOpen={course.is_published} />
                </li>
              ))}
            </ul>
            <PagingButtonRow of={shown} adds>
              {found.length > shown && (
                <ButtonWithFocusFallback onClick={() => show(shown + pageSize)}>
                  {t("more")}
                </ButtonWithFocusFallback>
              )}
            </PagingButtonRow>
          </>
        )}
      </QueryBoundary>
    </>
  );
}
