import { allOf, dataOf } from "learning-platform-client";
import { readTitleAndTextFields, TitleAndTextFields } from "../community/title-and-text.tsx";
import { CourseOutlineTree } from "../components/course-outline-tree.tsx";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { Form } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { ProgressBar } from "../components/progress.tsx";
import { isStaffByLtiLaunch } from "../embed/launched.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { EnrollmentStatusForm } from "./enrollment-status.tsx";

type LearnerProps = { course: string; offering: string; person: string };

export function LearnerScreen({ course, offering, person }: LearnerProps) {
  const path = { course_id: Number(course), offering_id: Number(offering) };
  const query = { user_id: Number(person) };
  const read = useQuery(
    async (signal) => {
      const [outline, full_name] = await Promise.all([
        dataOf(apiClient.getCourseOfferingOutline({ params: { path, query }, signal })),
        isStaffByLtiLaunch() ? nameInRoster(path, query.user_id, signal) : nameOf(query.user_id, signal),
      ]);
      return { outline, full_name };
    },
    [course, offering, person],
  );
  return (
    <>
      <a class="back" href={screenHref("teaching", course, offering)}>
        ← {t("back.to.class")}
      </a>
      <QueryBoundary of={read}>
        {({ outline, full_name }) => (
          <>
            <p class="eyebrow">{outline.course.title}</p>
            <ScreenHeading title={full_name}>
              {outline.enrollment && (
                <ProgressBar
                  percent={outline.enrollment.progress_percent}
                  title={outline.course.title}
                  lang={outline.course.language_code}
                />
              )}
            </ScreenHeading>
            {outline.enrollment && !isStaffByLtiLaunch() && (
              <EnrollmentStatusForm
                id={outline.enrollment.id}
                status={outline.enrollment.status}
                onChange={read.again}
              />
            )}
            {outline.enrollment && <WordAlone offering={offering} course={course} person={query.user_id} />}
            <CourseOutlineTree outline={outline} />
          </>
        )}
      </QueryBoundary>
    </>
  );
}

/** Starts a private thread with this learner. */
function WordAlone({ course, offering, person }: { course: string; offering: string; person: number }) {
  const send = async (fields: FormData) => {
    const path = { offering_id: Number(offering) };
    const body = { user_id: person, ...readTitleAndTextFields(fields) };
    const { id } = await dataOf(apiClient.beginPrivateThread({ params: { path }, body }));
    location.hash = screenHref("teaching", course, offering, "discussions", id);
  };
  return (
    <LazyDisclosureCard label={t("thread.alone.new")}>
      {() => (
        <>
          <p class="quiet">{t("thread.alone.about")}</p>
          <Form send={send} submit={t("thread.alone.send")} draft={`word to ${person} in ${offering}`}>
            <TitleAndTextFields maxLength={8000} />
          </Form>
        </>
      )}
    </LazyDisclosureCard>
  );
}

const nameOf = async (user_id: number, signal: AbortSignal): Promise<string> =>
  (await dataOf(apiClient.getUser({ params: { path: { user_id } }, signal }))).full_name;

/** Staff by LTI launch cannot read accounts, so the name comes from the roster. */
async function nameInRoster(
  path: { course_id: number; offering_id: number },
  person: number,
  signal: AbortSignal,
): Promise<string> {
  const query = { limit: 1000 };
  const roster = await allOf(apiClient.listCourseOfferingEnrollments, { params: { path, query }, signal });
  return roster.find(({ user_id }) => user_id === person)?.full_name ?? "";
}
