import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Empty } from "../components/empty.tsx";
import { Heading } from "../components/heading.tsx";
import { Back } from "../components/offering-screen.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { PagingButtons } from "../components/turns.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { to } from "../routes.ts";
import { isInstructor, usePerson } from "../session.tsx";
import { t } from "../texts.ts";
import { PublishedBadge } from "./state.tsx";
import { editableCourses } from "./written-courses.ts";

const pageSize = 60;

export function CoursesScreen() {
  const person = usePerson();
  const { roles } = person;
  const [q, search] = useState("");
  const [shown, show] = useState(pageSize);
  const courses = useQuery((signal) => editableCourses(roles, q, signal), [q]);
  return (
    <>
      <Back route={["teaching"]}>{t("teaching")}</Back>
      <Heading title={t("courses")}>
        {isInstructor(person) && (
          <a class="button primary" href={to("authoring", "new")}>
            {t("course.new")}
          </a>
        )}
      </Heading>
      <SearchForm label={t("catalog.search")} onSearch={search} />
      <QueryBoundary of={courses}>
        {(found) => (
          <>
            {found.length === 0 && <Empty>{t(q ? "courses.none" : "courses.empty")}</Empty>}
            <ul class="cards">
              {found.slice(0, shown).map((course) => (
                <li key={course.id} class="card course">
                  <p class="eyebrow">{course.code}</p>
                  <h2>
                    <a href={to("authoring", course.id)}>{course.title}</a>
                  </h2>
                  <PublishedBadge isOpen={course.is_published} />
                </li>
              ))}
            </ul>
            <PagingButtons of={shown} adds>
              {found.length > shown && <Button onClick={() => show(shown + pageSize)}>{t("more")}</Button>}
            </PagingButtons>
          </>
        )}
      </QueryBoundary>
    </>
  );
}
