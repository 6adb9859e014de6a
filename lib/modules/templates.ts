import { type SQL, sql } from "drizzle-orm";
import { ModuleDefaults } from "../../schema/api/module-templates.ts";
import { courses } from "../../schema/db/courses.ts";
import { moduleTemplates } from "../../schema/db/module-templates.ts";
import { atField, badRequest, type HttpError } from "../errors.ts";

/** The template of that id, in a statement over `courses`: one of the course's university, or of the platform. */
export const templateForCourse = (templateId: number | null): SQL => sql`
  ${moduleTemplates.id} = ${templateId}
  and coalesce(${moduleTemplates.university_id}, ${courses.university_id}) = ${courses.university_id}`;

/** What a module takes over from its template, where the request says nothing else. */
export const takenOver = (defaultData: unknown): ModuleDefaults =>
  ModuleDefaults.catch({}).parse(defaultData ?? {});

/** Another university's template is as one that does not exist. */
export const missingTemplate = (templateId: number): HttpError =>
  badRequest("does_not_exist", atField("Module", "module_template_id", templateId));
