import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { pickChangedFields } from "../components/changed-fields.ts";
import { DangerZone } from "../components/danger-zone.tsx";
import { Form } from "../components/form.tsx";
import type { QueryHookResult } from "../query.tsx";
import { hasRoleOrHigherAt } from "../role-checks.ts";
import { navigateAwayFromDeleted } from "../router.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { useMayEditCourse } from "../use-may-edit-course.ts";
import { CopyCourseForm } from "./copying.tsx";
import { CourseFields, readCourseFields } from "./course-fields.tsx";
import { CourseAuthoringLayout } from "./course-layout.tsx";
import { EditOrViewTutorNotes } from "./notes-for-tutor.tsx";
import { EditCoursePictureCard } from "./picture.tsx";
import { CoursePrerequisitesSection } from "./prerequisites.tsx";
import { CourseSubjectsSection } from "./subjects.tsx";

export const CourseSettingsScreen = ({ course }: { course: string }) => (
  <CourseAuthoringLayout course={course} part="settings">
    {(found, query) => <Settings course={found} query={query} />}
  </CourseAuthoringLayout>
);

function Settings({
  course,
  query,
}: {
  course: Schemas["Course"];
  query: QueryHookResult<Schemas["Course"]>;
}) {
  const params = { path: { course_id: course.id } };
  const save = async (fields: FormData, present = course) => {
    const body = pickChangedFields(readCourseFields(fields), course);
    query.set(
      await dataOf(apiClient.updateCourse({ params: { ...params, header: ifMatch(present.version) }, body })),
    );
  };
  const remove = async () => {
    await dataOf(apiClient.deleteCourse({ params: { ...params, header: ifMatch(course.version) } }));
    navigateAwayFromDeleted("authoring");
  };
  return (
    <>
      <Form class="form card" send={save} onPresent={query.set} submit={t("save")} done={t("saved")}>
        <CourseFields university={course.university_id} course={course} />
      </Form>
      <EditCoursePictureCard course={course} onChange={query.set} />
      <EditOrViewTutorNotes of={{ course: course.id }} mayWrite={useMayEditCourse(String(course.id))} />
      <CourseSubjectsSection course={course} onChange={query.set} />
      <CoursePrerequisitesSection course={course} onChange={query.again} />
      <CopyCourseForm course={course} />
      {hasRoleOrHigherAt(useCurrentUser().roles, "DEPARTMENT_ADMIN", course) && (
        <DangerZone
          label={t("course.delete")}
          sure={t("course.delete.sure", { title: course.title })}
          end={remove}
        />
      )}
    </>
  );
}
