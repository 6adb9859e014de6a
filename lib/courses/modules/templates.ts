import { type SQL, sql } from "drizzle-orm";
import { ModuleDefaults } from "../../../schema/api/courses/module-templates.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { moduleTemplates } from "../../../schema/db/courses/module-templates.ts";
import { badRequest, fieldValueMessagePlaceholders, type HttpError } from "../../errors.ts";

/** Of the course's university or the platform, in a statement over `courses`. */
export const usableTemplateCondition = (templateId: number | null): SQL => sql`
  ${moduleTemplates.id} = ${templateId}
  and coalesce(${moduleTemplates.university_id}, ${courses.university_id}) = ${courses.university_id}`;

export const parseTemplateDefaults = (defaultData: unknown): ModuleDefaults =>
  ModuleDefaults.catch({}).parse(defaultData ?? {});

/** Templates of other universities are reported as missing. */
export const missingTemplateError = (templateId: number): HttpError =>
  badRequest("does_not_exist", fieldValueMessagePlaceholders("Module", "module_template_id", templateId));
