import { readFile } from "node:fs/promises";
import { roles } from "../../schema/enums.ts";
import { documentFile } from "../../scripts/build/openapi/write.ts";
import { externalIdOfPerson } from "../scale/administration.ts";
import { firstCourseChapterCount } from "../scale/all-inserts.ts";
import type { MaxIdByTable } from "../scale/generated-inserts.ts";
import type { ScaleSize } from "../scale/size.ts";

/** A GET request: its operation in the document, and one path. `countOf`: see `buildScaleReadRequests`. */
export type ScaleReadRequest = {
  operation: string;
  name: string;
  path: string;
  countOf: CountOf | undefined;
};

type Parameter = {
  name: string;
  in: "path" | "query";
  required?: boolean;
  schema: { enum?: string[]; anyOf?: { enum?: string[] }[] };
};

type Described = { parameters?: Parameter[]; responses: Record<string, { content?: object }> };

/** Values of path and query parameters. */
type Values = Record<string, number | string>;

/** Every GET operation of the API document with its parameters, except streams. */
export async function readGetOperationParameters(): Promise<Map<string, Parameter[]>> {
  const { paths } = JSON.parse(await readFile(documentFile, "utf8"));
  const found = new Map<string, Parameter[]>();
  for (const [path, { get }] of Object.entries<{ get?: Described }>(paths))
    if (get && answersItself(get) && !isToldElsewhere(path)) found.set(path, get.parameters ?? []);
  return found;
}

const answersItself = ({ responses: { 200: answer } }: Described): boolean =>
  answer !== undefined && Object.keys(answer.content ?? {}).join() !== "text/event-stream";

/**
 * Paths that cannot be measured here: those with a secret from another response, a file's content (in the
 * store), a grader's signed files, an identity provider from the settings, launches of tools, and SCORM packages,
 * which the platform has none of.
 */
const isToldElsewhere = (path: string): boolean =>
  /\{(calendar_token|unsubscribe_token|logo_token|package_token|scorm_item_id|external_tool_id|lti_tool_id|key_id|token|provider)\}|\/deep-linking$|\/files\/\{file_id\}\/content$|\/auto-grade\/files$/.test(
    path,
  );

/** Number of items in a response's JSON. */
type CountOf = (answer: never) => number;

/** Requires enrollment, and only the large course has all learners. */
const ofThoseWhoTakeIt = ["/api/v1/assessments/offerings/{offering_id}/my-grades"];

/**
 * Responses that grow with the database, with their number of items: a course's unpaged modules, participants
 * up to 500 per page, members of groups, parts of a cartridge, a user's full export, courses that a prompt
 * affects. Aggregates are not among them: their size is constant.
 */
const growing: Record<string, CountOf> = {
  "/api/v1/modules/courses/{course_id}/modules": (modules: unknown[]) => modules.length,
  "/api/v1/courses/{course_id}/offerings/{offering_id}/outline": ({ modules }: { modules: unknown[] }) =>
    modules.length,
  "/api/v1/assessments/offerings/{offering_id}/gradebook": ({ rows }: { rows: unknown[] }) => rows.length,
  "/api/v1/offerings/{offering_id}/groups": (groups: { member_count: number }[]) =>
    groups.reduce((sum, { member_count }) => sum + member_count, 0),
  "/api/v1/courses/{course_id}/offerings/{offering_id}/dates": (lines: unknown[]) => lines.length,
  "/api/v1/offerings/{offering_id}/groups/{group_id}/dates": (lines: unknown[]) => lines.length,
  "/api/v1/cartridges/imports/{cartridge_import_id}": ({ total }: { total: number }) => total,
  "/api/v1/cartridges/courses/{course_id}/imports": (imports: { total: number }[]) =>
    imports.reduce((sum, { total }) => sum + total, 0),
  "/api/v1/users/me/export": rowsIn,
  "/api/v1/universities/{university_id}/data-requests/{data_request_id}/export": rowsIn,
  "/api/v1/prompts/{prompt_name}/impact": ({ courses_total }: { courses_total: number }) => courses_total,
};

/** For an export with a list per table. */
function rowsIn(tables: Record<string, unknown>): number {
  return Object.values(tables).reduce<number>(
    (sum, rows) => sum + (Array.isArray(rows) ? rows.length : 0),
    0,
  );
}

const isOfCourse = /\{(course|offering)_id\}/;

/**
 * The reads of a loaded database: each operation for a normal course and for the first, large one, and with
 * each filter. The time of a growing response, unless for a normal course, is per item.
 */
export function buildScaleReadRequests(
  operations: Map<string, Parameter[]>,
  size: ScaleSize,
  base: MaxIdByTable,
): ScaleReadRequest[] {
  const usual = normalCourseParameterValues(size, base);
  const reads: ScaleReadRequest[] = [];
  for (const [operation, parameters] of operations) {
    const add = (values: Values, about = "", filter?: Parameter) =>
      reads.push({
        operation,
        name: `${operation}${filter ? `?${filter.name}=` : ""}${about}`,
        path: pathOf(operation, parameters, values, filter),
        countOf: about !== "" || !isOfCourse.test(operation) ? growing[operation] : undefined,
      });
    if (!ofThoseWhoTakeIt.includes(operation)) add(usual);
    for (const [about, values] of Object.entries(largeCourse(size, base)))
      if (parameters.some((one) => one.in === "path" && one.name in values))
        add({ ...usual, ...values }, about);
    for (const filter of parameters)
      if (filter.in === "query" && !filter.required && valueFor(filter, usual) !== undefined)
        add(usual, "", filter);
  }
  return reads;
}

function pathOf(operation: string, parameters: Parameter[], values: Values, filter?: Parameter): string {
  const path = operation.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  const query = parameters
    .filter((one) => one.in === "query" && (one.required || one === filter))
    .map((one) => `${one.name}=${valueFor(one, values)}`);
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
}

/** Filters measured with their first value. */
const chosen = ["status", "role", "kind", "state", "visibility"];

/** The last sort order or format version, which is not the default. */
function valueFor({ name, schema }: Parameter, values: Values): number | string | undefined {
  const choices = enumOf(schema);
  if (name === "sort") return choices?.at(-1);
  if (name === "version") return choices?.at(-1) ?? values[name];
  return values[name] ?? (chosen.includes(name) ? choices?.[0] : undefined);
}

const enumOf = ({ enum: values, anyOf = [] }: Parameter["schema"]) =>
  values ?? anyOf.find((one) => one.enum)?.enum;

/** A normal course of the first university. */
export const normalCourseParameterValues = (size: ScaleSize, base: MaxIdByTable) =>
  valuesOf(size, base, 2 * size.universities + 1);

/** The course with that number in the first university, and related rows. */
const valuesOf = (
  { universities, people, courses, coursesEach }: ScaleSize,
  base: MaxIdByTable,
  course: number,
) => ({
  user_id: base.users + learner(universities),
  enrollment_id: base.enrollments + (learner(universities) - 1) * coursesEach + 1,
  session_id: base.chat_sessions + learner(universities),
  share_token: `scale-${base.chat_sessions + learner(universities)}`,
  note_id: base.notes + learner(universities),
  deck_id: base.flashcard_decks + learner(universities),
  flashcard_id: base.flashcards + learner(universities),
  thread_id: base.discussion_threads + course,
  question_pool_id: base.question_pools + course,
  question_id: base.questions + course,
  attempt_id: base.quiz_attempts + course,
  certificate_code: `scale-${base.certificates + course}`,
  list_id: 1,
  announcement_id: base.announcements + course,
  group_id: base.offering_groups + course,
  import_id: base.imports + 1,
  cartridge_import_id: base.cartridge_imports + course,
  data_request_id: base.data_requests + 1,
  trial_id: base.trials + 1,
  rollout_id: base.prompt_rollouts + 1,
  lti_platform_id: base.lti_platforms + 1,
  assignment_id: base.content_items + courses + course,
  submission_id: base.lab_submissions + course,
  university_id: base.universities + 1,
  department_id: base.departments + 1,
  term_id: base.terms + 1,
  country_id: 1,
  domain_id: base.domains + 1,
  subject_id: base.subjects + 1,
  parent_subject_id: base.subjects + 1,
  content_type_id: 1,
  module_template_id: base.module_templates + 1,
  asset_id: base.assets + 1,
  file_id: base.files + 1,
  course_id: base.courses + course,
  offering_id: base.course_offerings + course,
  course_offering_id: base.course_offerings + 1,
  module_id: base.modules + course,
  content_id: base.content_items + course,
  content_item_id: base.content_items + course,
  prompt_name: "tutor",
  version: 1,
  label: "production",
  teacher_id: base.users + universities + 1,
  q: String(course),
  level: "GRADUATE",
  language_code: "de",
  credits_from: 4,
  credits_to: 4,
  is_active: "true",
  is_published: "true",
  is_shared: "true",
  is_stuck: "true",
  unanswered: "true",
  unread: "true",
  waiting: "true",
  claimed: "false",
  marked: "false",
  is_late: "false",
  newest: "true",
  without_deck: "true",
  outcome: "CREATED",
  external_id: externalIdOfPerson(learner(universities) - 1, people),
  one_of_group: "true",
  open: "true",
});

/** Replaces values by the first course's: at the top of its tree of modules, and deep in it. */
const largeCourse = ({ courses }: ScaleSize, base: MaxIdByTable): Record<string, Values> => ({
  " of the large course": {
    course_id: base.courses + 1,
    offering_id: base.course_offerings + 1,
    module_id: base.modules + 1,
    content_id: base.content_items + 1,
    content_item_id: base.content_items + 1,
    assignment_id: base.content_items + courses + 1,
    group_id: base.offering_groups + 1,
    submission_id: base.lab_submissions + 1,
    cartridge_import_id: base.cartridge_imports + 1,
  },
  " in the large course": { module_id: base.modules + courses + 1 },
  " deep in the large course": { module_id: base.modules + courses + firstCourseChapterCount + 1 },
});

/** Readers: anonymous, and people of the first university. Staff are its first people, a learner follows. */
export function readerIdsByRole(
  { universities }: ScaleSize,
  base: MaxIdByTable,
): Record<string, number | undefined> {
  const holder = (role: (typeof roles)[number]) => base.users + (roles.indexOf(role) - 1) * universities + 1;
  return {
    nobody: undefined,
    "a learner": base.users + learner(universities),
    "an instructor": holder("instructor"),
    "a university_admin": holder("university_admin"),
    "a platform_admin": holder("platform_admin"),
  };
}

/** Number of the first person who is only a student. */
const learner = (universities: number): number => roles.length * universities + 1;
