import { dataOf } from "learning-platform-client";
import { Heading } from "../components/heading.tsx";
import { Outline } from "../components/outline.tsx";
import { Progress } from "../components/progress.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { to } from "../routes.ts";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { EnrollmentStatus } from "./enrollment-status.tsx";

type LearnerProps = { course: string; offering: string; person: string };

/** How one learner stands in an offering. */
export function LearnerScreen({ course, offering, person }: LearnerProps) {
  const path = { course_id: Number(course), offering_id: Number(offering) };
  const query = { user_id: Number(person) };
  const read = useQuery(
    async (signal) => {
      const [outline, learner] = await Promise.all([
        dataOf(api.getCourseOfferingOutline({ params: { path, query }, signal })),
        dataOf(api.getUser({ params: { path: query }, signal })),
      ]);
      return { outline, learner };
    },
    [course, offering, person],
  );
  return (
    <>
      <a class="back" href={to("teaching", course, offering)}>
        ← {t("back.to.class")}
      </a>
      <QueryBoundary of={read}>
        {({ outline, learner }) => (
          <>
            <p class="eyebrow">{outline.course.title}</p>
            <Heading title={learner.full_name}>
              {outline.enrollment && (
                <Progress
                  percent={outline.enrollment.progress_percent}
                  label={t("progress.of", { title: outline.course.title })}
                />
              )}
            </Heading>
            {outline.enrollment && (
              <EnrollmentStatus
                id={outline.enrollment.id}
                status={outline.enrollment.status}
                onChange={read.again}
              />
            )}
            <Outline outline={outline} />
          </>
        )}
      </QueryBoundary>
    </>
  );
}
