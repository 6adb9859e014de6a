import { Heading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { onDemand } from "../components/on-demand.tsx";
import { OnOpening } from "../components/on-opening.tsx";
import { Outline } from "../components/outline.tsx";
import { Progress } from "../components/progress.tsx";
import { Tabs } from "../components/tabs.tsx";
import { CourseLine, useOutline } from "../outline.tsx";
import { QueryBoundary } from "../query.tsx";
import { to } from "../routes.ts";
import { t } from "../texts.ts";

const CourseReviews = onDemand(async () => (await import("../reviews/course-reviews.tsx")).CourseReviews);

const learns = (status: string | undefined): boolean => status === "ACTIVE" || status === "COMPLETED";

export function OutlineScreen({ course, offering }: { course: string; offering: string }) {
  const outline = useOutline(course, offering);
  return (
    <QueryBoundary of={outline}>
      {(found) => (
        <>
          <CourseLine outline={found} />
          <Heading title={found.course.title}>
            {found.enrollment && (
              <Progress
                percent={found.enrollment.progress_percent}
                label={t("progress.of", { title: found.course.title })}
              />
            )}
          </Heading>
          {found.enrollment && <Tabs course={course} offering={offering} side="courses" current="" />}
          {!found.enrollment && (
            <Notice>
              {t("outline.not.enrolled")} <a href={to("catalog")}>{t("nav.catalog")}</a>
            </Notice>
          )}
          <Outline outline={found} linkOf={({ id }) => to("courses", course, offering, id)} />
          <section class="card">
            <OnOpening label={t("reviews")}>
              {() => (
                <CourseReviews
                  course={found.course.id}
                  offering={found.course_offering.id}
                  takesPart={learns(found.enrollment?.status)}
                />
              )}
            </OnOpening>
          </section>
        </>
      )}
    </QueryBoundary>
  );
}
