import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Form } from "../components/form.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseFileUploadField } from "./file-field.tsx";

type Course = Schemas["Course"];
type PictureProps = { course: Course; onChange: (course: Course) => void };

export function EditCoursePictureCard({ course, onChange }: PictureProps) {
  const [file, choose] = useState<number | null>(course.picture_file_id);
  const path = { course_id: course.id };
  const save = async (_: FormData, present = course) => {
    const params = { path, header: ifMatch(present.version) };
    onChange(await dataOf(apiClient.updateCourse({ params, body: { picture_file_id: file } })));
  };
  return (
    <section class="card" aria-labelledby="course-picture">
      <h2 id="course-picture">{t("course.picture")}</h2>
      <p class="quiet">{t("course.picture.about")}</p>
      <Form send={save} onPresent={onChange} submit={t("save")} done={t("saved")}>
        <CourseFileUploadField
          label={t("course.picture.new")}
          course={course.id}
          file={file}
          accept="image/png,image/jpeg,image/webp,image/gif,image/avif"
          onChange={(chosen) => choose(chosen?.id ?? null)}
        />
      </Form>
    </section>
  );
}
