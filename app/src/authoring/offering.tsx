import { dataOf, type Schemas } from "learning-platform-client";
import { DangerZone } from "../components/danger-zone.tsx";
import { Form } from "../components/form.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { BoundLtiContextsList } from "../lti/bound-contexts.tsx";
import { StaffByLtiLaunchList } from "../lti/launched-staff.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { hasRoleOrHigherAt } from "../role-checks.ts";
import { navigateAwayFromDeleted } from "../router.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { CopyOfferingForm } from "./copying.tsx";
import { CourseAuthoringLayout } from "./course-layout.tsx";
import { OfferingFields, readOfferingFields } from "./offering-fields.tsx";
import { OfferingTeachersSection } from "./teachers.tsx";

type OfferingScreenProps = { course: string; offering: string };

export const OfferingSettingsScreen = ({ course, offering }: OfferingScreenProps) => (
  <CourseAuthoringLayout course={course} part="offerings">
    {(found) => <Settings course={found} offering={Number(offering)} />}
  </CourseAuthoringLayout>
);

function Settings({ course, offering }: { course: Schemas["Course"]; offering: number }) {
  const path = { course_id: course.id, offering_id: offering };
  const query = useQuery(
    (signal) => dataOf(apiClient.getCourseOffering({ params: { path }, signal })),
    [path],
  );
  const mayDelete = hasRoleOrHigherAt(useCurrentUser().roles, "DEPARTMENT_ADMIN", course);
  const remove = async () => {
    await dataOf(apiClient.deleteCourseOffering({ params: { path } }));
    navigateAwayFromDeleted("authoring", course.id, "offerings");
  };
  return (
    <>
      <BackLink route={["authoring", course.id, "offerings"]}>{t("offerings")}</BackLink>
      <QueryBoundary of={query}>
        {(found) => {
          const save = async (fields: FormData) =>
            query.set(
              await dataOf(
                apiClient.updateCourseOffering({ params: { path }, body: readOfferingFields(fields, found) }),
              ),
            );
          return (
            <>
              <div class="line-head">
                <h2>{found.term_name ?? t("offering.without.term", { n: found.id })}</h2>
                <span class="row">
                  <a href={screenHref("authoring", course.id, "offerings", offering, "dates")}>
                    {t("calendar.dates")}
                  </a>
                  <a href={screenHref("teaching", course.id, offering, "enroll")}>{t("enroll.learners")}</a>
                  <a href={screenHref("teaching", course.id, offering)}>{t("offering.class")}</a>
                </span>
              </div>
              <Form class="form card" send={save} submit={t("save")} done={t("saved")}>
                <OfferingFields university={course.university_id} offering={found} />
              </Form>
              <OfferingTeachersSection path={path} />
              <BoundLtiContextsList path={path} />
              <StaffByLtiLaunchList offering={found.id} />
              <CopyOfferingForm course={course} offering={found} />
              {mayDelete && (
                <DangerZone label={t("offering.delete")} sure={t("offering.delete.sure")} end={remove} />
              )}
            </>
          );
        }}
      </QueryBoundary>
    </>
  );
}
