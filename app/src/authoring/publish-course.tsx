import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { useRef } from "preact/hooks";
import { DateTimeField, readDateTimeField } from "../components/date-time-field.tsx";
import { CheckboxField } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked } from "../components/form.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { defaultOfferingStartEnd } from "./default-start-end.ts";

type OpenCourseProps = { course: Schemas["Course"]; modules: Schemas["CourseModule"][] };

/** Publishes the whole course and creates a first offering with proposed dates. */
export function PublishCourseWithOfferingForm({ course, modules }: OpenCourseProps) {
  // Steps that succeeded are not repeated on retry.
  const done = useRef({ outline: false, course: false });
  const proposed = defaultOfferingStartEnd(new Date());
  const path = { course_id: course.id };
  const open = async (fields: FormData) => {
    const run = {
      starts_at: readDateTimeField(fields, "starts_at"),
      ends_at: readDateTimeField(fields, "ends_at"),
      visibility: isCheckboxFieldChecked(fields, "listed") ? ("PUBLIC" as const) : ("PRIVATE" as const),
    };
    if (!done.current.outline) {
      const module_ids = modules.filter(({ depth }) => depth === 0).map(({ id }) => id);
      const body = {
        module_ids,
        with_content: true,
        content_item_ids: [],
        is_published: true,
        dry_run: false,
      };
      await dataOf(apiClient.changeCourseOutline({ params: { path }, body }));
      done.current.outline = true;
    }
    if (!done.current.course) {
      const params = { path, header: ifMatch(course.version) };
      await dataOf(apiClient.updateCourse({ params, body: { is_published: true } }));
      done.current.course = true;
    }
    const { id } = await dataOf(apiClient.createCourseOffering({ params: { path }, body: run }));
    location.hash = screenHref("authoring", course.id, "offerings", id);
  };
  return (
    <section class="card" aria-labelledby="open-course">
      <h2 id="open-course">{t("open.course")}</h2>
      <p class="quiet">{t("open.course.about")}</p>
      <Form send={open} submit={t("open.course.submit")}>
        <div class="fields">
          <DateTimeField name="starts_at" label={t("offering.from")} value={proposed.starts_at} />
          <DateTimeField name="ends_at" label={t("offering.to")} value={proposed.ends_at} />
        </div>
        <CheckboxField name="listed" label={t("open.course.listed")}>
          <input type="checkbox" defaultChecked />
        </CheckboxField>
      </Form>
    </section>
  );
}
