import { roles } from "../../schema/enums.ts";
import type { GeneratedTableInsert, MaxIdByTable } from "./generated-inserts.ts";
import type { ScaleSize } from "./size.ts";

/** Offerings per instructor; further ones go to every tenth person of the university. */
const offeringsEach = 10;

export function buildStaffAndCourseInserts(
  { universities, people, courses }: ScaleSize,
  base: MaxIdByTable,
): GeneratedTableInsert[] {
  const university = `${base.universities} + n % ${universities} + 1`;
  const instructors = base.users + (roles.indexOf("instructor") - 1) * universities;
  return [
    {
      what: "departments",
      table: "departments",
      columns: "id, university_id, name, code",
      count: universities * 10,
      rows: `${base.departments} + n + 1, ${university}, 'Department ' || n, 'SCALE-' || n`,
    },
    {
      what: "module templates",
      table: "module_templates",
      columns: "id, template_type, title",
      count: courses / 100,
      rows: `${base.module_templates} + n + 1, 'unit', 'Template ' || n`,
    },
    {
      what: "assets",
      table: "assets",
      columns: "id, university_id, url, asset_type",
      count: courses,
      rows: `${base.assets} + n + 1, ${university}, 'https://assets.example.edu/' || n, 'image'`,
    },
    {
      what: "stored objects",
      table: "stored_objects",
      columns: "id, university_id, key, size, sha256",
      count: courses,
      rows: `${base.stored_objects} + n + 1, ${university}, 'objects/scale-' || ${base.stored_objects} + n + 1, 1000,
        repeat(md5((${base.stored_objects} + n + 1)::text), 2)`,
    },
    {
      what: "files",
      table: "files",
      columns: "id, object_id, purpose, state, name, media_type, size, university_id, completed_at",
      count: courses,
      rows: `${base.files} + n + 1, ${base.stored_objects} + n + 1, 'asset', 'ready', 'File ' || n, 'image/png', 1000,
        ${university}, now()`,
    },
    {
      what: "prerequisites",
      table: "course_prerequisites",
      columns: "course_id, prerequisite_course_id, prerequisite_type",
      count: courses - universities,
      rows: `${base.courses} + ${universities} + n + 1, ${base.courses} + n % ${universities} + 1, 'recommended'`,
    },
    {
      what: "instructors",
      table: "course_offering_instructors",
      columns: "course_offering_id, user_id",
      count: courses,
      rows: `${base.course_offerings} + n + 1,
             ${instructors} + n % ${universities} + 1 + n / ${universities} / ${offeringsEach} * ${10 * universities}`,
    },
    {
      what: "feature requests",
      table: "feature_requests",
      columns: "user_id, title, description",
      count: people,
      rows: `${base.users} + n + 1, 'Request ' || n, 'A wish'`,
    },
  ];
}
