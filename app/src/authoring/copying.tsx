import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { CheckboxField, Field } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked, readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { canCreateCourseInSameDepartment } from "../staff-scopes.ts";
import { t } from "../texts.ts";
import { TermSelectField } from "./offering-fields.tsx";
import { DateShiftFields, readDateShiftFields } from "./shift-fields.tsx";

type Course = Schemas["Course"];

/** Copies a course with its content and opens the copy. */
export function CopyCourseForm({ course }: { course: Course }) {
  const copy = async (fields: FormData) => {
    const body = { ...courseCopyOf(fields), ...readDateShiftFields(fields) };
    const { id } = await dataOf(apiClient.copyCourse({ params: { path: { course_id: course.id } }, body }));
    location.hash = screenHref("authoring", id);
  };
  if (!canCreateCourseInSameDepartment(useCurrentUser().roles, course)) return null;
  return (
    <LazyDisclosureCard label={t("course.copy")}>
      {() => (
        <Form send={copy} submit={t("copy")}>
          <p class="quiet">{t("course.copy.about")}</p>
          <CourseCopyFields course={course} />
          <DateShiftFields />
        </Form>
      )}
    </LazyDisclosureCard>
  );
}

type CopyOfferingProps = { course: Course; offering: Schemas["Offering"] };

/** Copies an offering, of the same course or of a copy of it, and opens the copy. */
export function CopyOfferingForm({ course, offering }: CopyOfferingProps) {
  const mayCopyCourse = canCreateCourseInSameDepartment(useCurrentUser().roles, course);
  return (
    <LazyDisclosureCard label={t("offering.copy")}>
      {() => <OfferingCopyForm course={course} offering={offering} mayCopyCourse={mayCopyCourse} />}
    </LazyDisclosureCard>
  );
}

function OfferingCopyForm({
  course,
  offering,
  mayCopyCourse,
}: CopyOfferingProps & { mayCopyCourse: boolean }) {
  const [what, choose] = useState<"run" | "course">("run");
  const isOfSame = what === "run";
  const copy = async (fields: FormData) => {
    const body = {
      term_id: readNumberFieldOrNull(fields, "term_id"),
      term_name: readTextFieldOrNull(fields, "term_name"),
      ...readDateShiftFields(fields),
      ...(isOfSame ? { same_course: true } : courseCopyOf(fields)),
    };
    const path = { course_id: course.id, offering_id: offering.id };
    const made = await dataOf(apiClient.copyCourseOffering({ params: { path }, body }));
    location.hash = screenHref("authoring", made.course_id, "offerings", made.id);
  };
  return (
    <Form send={copy} submit={t("copy")}>
      {mayCopyCourse && (
        <LabeledSelect
          label={t("offering.copy.what")}
          value={what}
          options={[
            ["run", t("offering.copy.run")],
            ["course", t("offering.copy.course")],
          ]}
          onChoose={choose}
        />
      )}
      <p class="quiet">{t(isOfSame ? "offering.copy.run.about" : "offering.copy.course.about")}</p>
      {!isOfSame && <CourseCopyFields course={course} />}
      <div class="fields">
        <TermSelectField university={course.university_id} term={offering.term_id} />
        <Field name="term_name" label={t("offering.term.name")} about={t("offering.term.name.about")}>
          <input maxLength={255} />
        </Field>
      </div>
      <DateShiftFields />
    </Form>
  );
}

const CourseCopyFields = ({ course }: { course: Course }) => (
  <>
    <div class="fields">
      <Field name="title" label={t("title")}>
        <input maxLength={255} defaultValue={course.title} required />
      </Field>
      <Field name="code" label={t("course.code")} about={t("copy.code.about", { code: course.code })}>
        <input maxLength={128} />
      </Field>
    </div>
    <CheckboxField name="is_published" label={t("course.published")}>
      <input type="checkbox" defaultChecked={course.is_published} />
    </CheckboxField>
  </>
);

function courseCopyOf(fields: FormData): Schemas["CourseCopy"] {
  const code = readTextField(fields, "code");
  return {
    title: readTextField(fields, "title"),
    is_published: isCheckboxFieldChecked(fields, "is_published"),
    ...(code && { code }),
  };
}
