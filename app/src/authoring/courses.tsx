import { allOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Empty } from "../components/empty.tsx";
import { Heading } from "../components/heading.tsx";
import { Back } from "../components/offering-screen.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { to } from "../routes.ts";
import { api } from "../service.ts";
import { instructs, usePerson } from "../session.tsx";
import { authorScopes } from "../staff-scopes.ts";
import { t } from "../texts.ts";
import { State } from "./state.tsx";

type Course = Schemas["CourseSummary"];

const pageSize = 60;

/** The courses that someone may write. */
export function CoursesScreen() {
  const person = usePerson();
  const { roles } = person;
  const [q, search] = useState("");
  const [shown, show] = useState(pageSize);
  const courses = useQuery((signal) => written(roles, q, signal), [q]);
  return (
    <>
      <Back route={["teaching"]}>{t("teaching")}</Back>
      <Heading title={t("courses")}>
        {instructs(person) && (
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
                  <State isOpen={course.is_published} />
                </li>
              ))}
            </ul>
            {found.length > shown && (
              <button type="button" onClick={() => show(shown + pageSize)}>
                {t("more")}
              </button>
            )}
          </>
        )}
      </QueryBoundary>
    </>
  );
}

/** A list has no filter for the one course that someone has a say in: it is found among its university's. */
async function written(roles: Schemas["OwnRole"][], q: string, signal: AbortSignal): Promise<Course[]> {
  const asked = authorScopes(roles).map(async ({ course_id, ...scope }) => {
    const query = { ...scope, ...(q && { q }), limit: 1000, sort: "title" as const };
    const found = await allOf(api.listCourses, { params: { query }, signal });
    return found.filter(({ id }) => course_id === undefined || id === course_id);
  });
  const found = (await Promise.all(asked)).flat();
  return [...new Map(found.map((one) => [one.id, one])).values()];
}
