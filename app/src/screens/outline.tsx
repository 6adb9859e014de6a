import { useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { CourseOutlineTree } from "../components/course-outline-tree.tsx";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { Notice } from "../components/notice.tsx";
import { OfferingTabs } from "../components/offering-tabs.tsx";
import { lazyComponentWithTexts } from "../components/on-demand.tsx";
import { ProgressBar } from "../components/progress.tsx";
import { getLaunchedModuleId, isStaffByLtiLaunch } from "../embed/launched.ts";
import { QueryBoundary } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import { CourseAndTermLine, outlineOfModule, useOutline } from "../use-outline.tsx";

const AboutCourse = lazyComponentWithTexts(
  async () => (await import("../catalog/about-course.tsx")).AboutCourse,
);

const CourseReviewsSection = lazyComponentWithTexts(
  async () => (await import("../reviews/course-reviews.tsx")).CourseReviewsSection,
);

const NavigationToolLinks = lazyComponentWithTexts(
  async () => (await import("../lti/navigation-tools.tsx")).NavigationToolLinks,
);

const LeaveCourseCard = lazyComponentWithTexts(
  async () => (await import("../enrollment/leave-course.tsx")).LeaveCourseCard,
);

/** A learner who dropped out may still read. */
const isThere = (status: string | undefined): boolean => status !== undefined && status !== "DROPPED";

const learns = (status: string | undefined): boolean => status === "ACTIVE" || status === "COMPLETED";

export function OutlineScreen({ course, offering }: { course: string; offering: string }) {
  const outline = useOutline(course, offering);
  const [module, setModule] = useState(getLaunchedModuleId());
  return (
    <QueryBoundary of={outline}>
      {(found) => (
        <>
          <CourseAndTermLine outline={found} />
          <ScreenHeading title={found.course.title} lang={found.course.language_code}>
            {found.enrollment && (
              <ProgressBar
                percent={found.enrollment.progress_percent}
                title={found.course.title}
                lang={found.course.language_code}
              />
            )}
          </ScreenHeading>
          {found.enrollment && <OfferingTabs course={course} offering={offering} side="courses" current="" />}
          {found.enrollment && (
            <p>
              <a href={screenHref("courses", course, offering, "groups")}>{t("groups")}</a>
            </p>
          )}
          {learns(found.enrollment?.status) && (
            <LazyDisclosure label={t("tools")}>
              {() => <NavigationToolLinks course={course} offering={offering} saysEmpty />}
            </LazyDisclosure>
          )}
          {isStaffByLtiLaunch() && (
            <OfferingTabs course={course} offering={offering} side="teaching" current="outline" />
          )}
          {!isThere(found.enrollment?.status) && !isStaffByLtiLaunch() && (
            <Notice>
              {t("outline.not.enrolled")} <a href={screenHref("catalog")}>{t("nav.catalog")}</a>
            </Notice>
          )}
          {!isStaffByLtiLaunch() && (
            <LazyDisclosureCard label={t("about")} isOpen={!isThere(found.enrollment?.status)}>
              {() => <AboutCourse course={found.course.id} />}
            </LazyDisclosureCard>
          )}
          <CourseOutlineTree
            outline={module === null ? found : outlineOfModule(found, module)}
            linkOf={({ id }) => screenHref("courses", course, offering, id)}
          />
          {module !== null && (
            <ButtonWithFocusFallback onClick={() => setModule(null)}>
              {t("lti.module.whole")}
            </ButtonWithFocusFallback>
          )}
          {found.enrollment && isThere(found.enrollment.status) && (
            <LeaveCourseCard
              title={found.course.title}
              enrollment={found.enrollment}
              onLeft={outline.again}
            />
          )}
          <section class="card">
            <LazyDisclosure label={t("reviews")}>
              {() => (
                <CourseReviewsSection
                  course={found.course.id}
                  offering={found.course_offering.id}
                  takesPart={learns(found.enrollment?.status)}
                />
              )}
            </LazyDisclosure>
          </section>
        </>
      )}
    </QueryBoundary>
  );
}
