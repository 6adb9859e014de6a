import { allOf, type Schemas } from "learning-platform-client";
import { type CourseLevel, courseLevels } from "../catalog/levels.ts";
import { subjectOptions, subjectTree } from "../catalog/subject-tree.ts";
import { DepartmentOrUniversitySelect } from "../components/department-field.tsx";
import { CheckboxField, Field, NumberField, SelectField } from "../components/field.tsx";
import {
  isCheckboxFieldChecked,
  readSelectField,
  readTextField,
  readTextFieldOrNull,
} from "../components/form.tsx";
import { SelectByIdField } from "../components/id-field.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { hasRoleOrHigherAt } from "../role-checks.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { currentLanguage, t, withTranslatedLabels } from "../texts.ts";

type Course = Schemas["Course"];

type CourseFieldsProps = { university: number; course?: Course };

export function CourseFields({ university, course }: CourseFieldsProps) {
  const { roles } = useCurrentUser();
  const mayBeIn = (department_id: number | null) =>
    course?.department_id === department_id ||
    hasRoleOrHigherAt(roles, "INSTRUCTOR", { university_id: university, department_id });
  const lists = useQuery(
    async (signal) => {
      const path = { university_id: university };
      const query = { limit: 1000 };
      const [departments, subjects] = await Promise.all([
        allOf(apiClient.listUniversityDepartments, { params: { path, query }, signal }),
        allOf(apiClient.listSubjects, { params: { query }, signal }),
      ]);
      return { departments, subjects };
    },
    [university],
  );
  return (
    <>
      <div class="fields">
        <Field name="title" label={t("title")}>
          <input maxLength={255} defaultValue={course?.title} required />
        </Field>
        <Field name="code" label={t("course.code")} about={t("course.code.about")}>
          <input maxLength={128} defaultValue={course?.code} required />
        </Field>
      </div>
      <Field name="description" label={t("description")}>
        <textarea rows={4} maxLength={20_000} defaultValue={course?.description ?? ""} />
      </Field>
      <QueryBoundary of={lists}>
        {({ departments, subjects }) => (
          <div class="fields">
            <SelectField
              name="level"
              label={t("course.level")}
              of={withTranslatedLabels("level", courseLevels)}
              chosen={course?.level ?? "UNDERGRADUATE"}
            />
            <DepartmentOrUniversitySelect
              departments={departments}
              may={mayBeIn}
              chosen={course?.department_id}
            />
            <SelectByIdField
              name="primary_subject_id"
              label={t("course.subject")}
              of={subjectOptions(subjectTree(subjects, currentLanguage()))}
              chosen={course?.primary_subject_id}
            />
          </div>
        )}
      </QueryBoundary>
      <Teaching course={course} />
      <CheckboxField name="is_published" label={t("course.published")}>
        <input type="checkbox" defaultChecked={course?.is_published ?? false} />
      </CheckboxField>
    </>
  );
}

function Teaching({ course }: { course: Course | undefined }) {
  return (
    <>
      <div class="fields">
        <Field name="language_code" label={t("course.language")} about={t("course.language.about")}>
          <input maxLength={8} defaultValue={course?.language_code ?? currentLanguage()} required />
        </Field>
        <NumberField
          name="credit_hours"
          label={t("course.credits")}
          min={0}
          max={99.99}
          step="any"
          value={course?.credit_hours}
        />
        <SelectField
          name="access"
          label={t("course.access")}
          of={withTranslatedLabels("course.access", ["OPEN", "ENROLLED"])}
          chosen={course?.access ?? "OPEN"}
        />
        <Field name="llm_model" label={t("course.model")} about={t("course.model.about")}>
          <input maxLength={128} defaultValue={course?.llm_model ?? ""} />
        </Field>
      </div>
      <Field name="tutor_line" label={t("tutor.line")} about={t("tutor.line.course")}>
        <textarea rows={2} maxLength={4000} defaultValue={course?.tutor_line ?? ""} />
      </Field>
      <CheckboxField name="cache_enabled" label={t("course.cache")}>
        <input type="checkbox" defaultChecked={course?.cache_enabled ?? true} />
      </CheckboxField>
    </>
  );
}

export const readCourseFields = (fields: FormData) => ({
  title: readTextField(fields, "title"),
  code: readTextField(fields, "code"),
  description: readTextFieldOrNull(fields, "description"),
  level: readSelectField<CourseLevel>(fields, "level"),
  department_id: readNumberFieldOrNull(fields, "department_id"),
  primary_subject_id: readNumberFieldOrNull(fields, "primary_subject_id"),
  language_code: readTextField(fields, "language_code"),
  credit_hours: readNumberFieldOrNull(fields, "credit_hours"),
  access: readSelectField<Course["access"]>(fields, "access"),
  llm_model: readTextFieldOrNull(fields, "llm_model"),
  tutor_line: readTextFieldOrNull(fields, "tutor_line"),
  cache_enabled: isCheckboxFieldChecked(fields, "cache_enabled"),
  is_published: isCheckboxFieldChecked(fields, "is_published"),
});
