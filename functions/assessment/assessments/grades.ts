import {
  attemptInOfferingCondition,
  personAttemptInOfferingCondition,
  readAfterClosingExpiredAttempts,
} from "../../../lib/assessment/close-expired-attempts.ts";
import * as finalizing from "../../../lib/assessment/finalizing.ts";
import { listGradeChanges as listChanges } from "../../../lib/assessment/grade-changes.ts";
import { gradebookCsv, readGradebook as readBook } from "../../../lib/assessment/gradebook.ts";
import * as schemes from "../../../lib/assessment/grading-schemes.ts";
import { importGrades as importFile } from "../../../lib/assessment/importing-grades.ts";
import { readOwnGrades } from "../../../lib/assessment/own-grades.ts";
import * as setting from "../../../lib/assessment/set-grades.ts";
import { createImportFileFinder } from "../../../lib/files/find-import-file.ts";
import { csvFileResponse } from "../../../lib/http/csv-file.ts";
import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo, signedIn } from "../../../lib/identity/auth/guards.ts";
import { requestScoreResend } from "../../../lib/integrations/lti/resend-scores.ts";
import {
  CourseGradeOverride,
  CourseGradeUpdate,
  Gradebook,
  GradebookQuery,
  GradeChange,
  GradeChangesQuery,
  GradeFinalization,
  GradeFinalizationResult,
  GradeImport,
  GradeImportResult,
  GradeRelease,
  GradeReleaseResult,
  GradeReopening,
  GradeReopeningResult,
  GradeSending,
  GradingScheme,
  GradingSchemeUpdate,
  ItemGrade,
  ItemGradeUpdate,
  OwnGrades,
} from "../../../schema/api/assessment/grades.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const offering = "/offerings/{offering_id}";
const params = pathIds("offering_id");

export const getGradingScheme = endpoint(
  {
    id: "getGradingScheme",
    method: "get",
    path: `${offering}/grading-scheme`,
    summary: "Read the grading scheme",
    ...signedIn,
    scope: "grades:read",
    params,
    ...ok(GradingScheme, "The scheme of the offering, or the default one"),
    fails: [404],
  },
  ({ deps, actor, params }) => schemes.getScheme(deps.db, actor, params.offering_id),
);

export const setGradingScheme = endpoint(
  {
    id: "setGradingScheme",
    method: "put",
    path: `${offering}/grading-scheme`,
    summary: "Set the grading scheme",
    description:
      "From then on, completing the course requires a final passing grade. Absent fields keep their " +
      "values. Final grades do not change.",
    ...permittedTo("grade:finalize"),
    params,
    body: GradingSchemeUpdate,
    versioned: GradingScheme,
    ...ok(GradingScheme, "The grading scheme"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) =>
    schemes.setScheme(deps.db, actor, params.offering_id, body, deps.now(), ifMatch),
);

export const deleteGradingScheme = endpoint(
  {
    id: "deleteGradingScheme",
    method: "delete",
    path: `${offering}/grading-scheme`,
    summary: "Delete the grading scheme",
    description: "Completing the course then requires no grade. Rejected while a grade is final.",
    ...permittedTo("grade:finalize"),
    params,
    versioned: GradingScheme,
    ...noContent("The default scheme applies"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, ifMatch }) => schemes.removeScheme(deps.db, actor, params.offering_id, ifMatch),
);

export const readGradebook = endpoint(
  {
    id: "readGradebook",
    method: "get",
    settles: "grades",
    path: `${offering}/gradebook`,
    summary: "Read the gradebook",
    description:
      "The best attempt counts for quizzes, the newest graded submission for other work, scaled to the " +
      "item's points. A class of more than 500 people or 60,000 cells must be read in pages with `skip`.",
    ...permittedTo("grade:read"),
    scope: "grades:read",
    params,
    query: GradebookQuery,
    ...ok(Gradebook, "The gradebook", {
      "text/csv":
        "user_id,full_name,email,12 Spectra of instruments,current_percent,current_letter,final_percent,final_score,letter_grade,is_erased,version\r\n7,Ada Lovelace,ada@example.edu,18,90,A,90,,,,12v1\r\n",
    }),
    fails: [403, 404],
  },
  ({ deps, actor, params, query: { format, ...query }, http }) =>
    readAfterClosingExpiredAttempts(
      deps.db,
      deps.now(),
      attemptInOfferingCondition(params.offering_id),
      async () => {
        const gradebook = await readBook(deps.db, actor, params.offering_id, query);
        return format === "json" ? gradebook : csvFileResponse(http, gradebookCsv(gradebook));
      },
    ),
);

export const importGrades = endpoint(
  {
    id: "importGrades",
    method: "post",
    path: `${offering}/gradebook/import`,
    summary: "Import scores from CSV",
    description:
      "Takes a file in the format of the gradebook export. Values that differ from the gradebook are set, " +
      "unless the cell changed since the export. Rejected values are reported, the rest is set. The " +
      "import can be repeated.",
    ...permittedTo("grade:write"),
    params,
    body: GradeImport,
    ...ok(GradeImportResult, "The outcome for each field"),
    fails: [400, 403, 404, 429, 503],
  },
  ({ deps, actor, params, body }) =>
    importFile(deps.db, actor, params.offering_id, body, {
      now: deps.now(),
      find: createImportFileFinder(deps, actor),
    }),
);

export const setItemGrade = endpoint(
  {
    id: "setItemGrade",
    method: "put",
    path: `${offering}/grades/{user_id}/items/{content_item_id}`,
    summary: "Set a learner's item grade",
    description:
      "Sets a score that replaces the achieved one, or excuses the learner. Completes the item for the " +
      "learner; a quiz only if the score passes.",
    ...permittedTo("grade:write"),
    params: pathIds("offering_id", "user_id", "content_item_id"),
    body: ItemGradeUpdate,
    versioned: ItemGrade,
    ...ok(ItemGrade, "The grade"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) =>
    setting.setItemGrade(deps.db, actor, params, body, deps.now(), ifMatch),
);

export const setCourseGrade = endpoint(
  {
    id: "setCourseGrade",
    method: "put",
    path: `${offering}/grades/{user_id}`,
    summary: "Set a learner's course percentage",
    ...permittedTo("grade:finalize"),
    params: pathIds("offering_id", "user_id"),
    body: CourseGradeUpdate,
    versioned: CourseGradeOverride,
    ...ok(CourseGradeOverride, "The percentage, which replaces the computed one"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) =>
    setting.setCourseGrade(deps.db, actor, params, body, deps.now(), ifMatch),
);

export const releaseGrades = endpoint(
  {
    id: "releaseGrades",
    method: "post",
    path: `${offering}/grades/release`,
    summary: "Release or hide item grades",
    ...permittedTo("grade:finalize"),
    params,
    body: GradeRelease,
    ...ok(GradeReleaseResult, "The new state"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    finalizing.releaseOrHideGrades(deps.db, actor, params.offering_id, body, deps.now()),
);

export const sendGradesToLms = endpoint(
  {
    id: "sendGradesToLms",
    method: "post",
    path: `${offering}/grades/send-to-lms`,
    summary: "Send grades to the LMS again",
    description:
      "Grades are sent automatically when they are released or change. Use this if the LMS rejected or " +
      "lost them.",
    ...permittedTo("grade:write"),
    params,
    body: GradeSending,
    ...noContent("Grades are sent within a minute"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => requestScoreResend(deps.db, actor, params.offering_id, body),
);

export const finalizeGrades = endpoint(
  {
    id: "finalizeGrades",
    method: "post",
    path: `${offering}/grades/finalize`,
    summary: "Finalize the grades of an offering",
    description:
      "First closes and grades attempts whose time is up. Learners with an open attempt or ungraded work " +
      "in an item that counts are left out. With `include_awaiting`, such items count as zero. Learners " +
      "see their final grade, and enrollments that waited only for it are completed. A final grade does " +
      "not change until it is reopened. Later grading marks it as outdated and notifies the teachers. " +
      "Send `dry_run` first to see the outcome.",
    ...permittedTo("grade:finalize"),
    params,
    body: GradeFinalization,
    ...ok(GradeFinalizationResult, "Counts of finalized grades, and the learners who await a grade"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    finalizing.finalizeGrades(deps.db, actor, params.offering_id, body, deps.now()),
);

export const reopenGrades = endpoint(
  {
    id: "reopenGrades",
    method: "post",
    path: `${offering}/grades/reopen`,
    summary: "Reopen final grades",
    description: "Completed enrollments stay completed until a final grade is not passed.",
    ...permittedTo("grade:finalize"),
    params,
    body: GradeReopening,
    ...ok(GradeReopeningResult, "The number of reopened grades"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) =>
    finalizing.reopenGrades(deps.db, actor, params.offering_id, body, deps.now()),
);

export const listGradeChanges = endpoint(
  {
    id: "listGradeChanges",
    method: "get",
    path: `${offering}/grade-changes`,
    summary: "List grade changes of an offering",
    ...permittedTo("grade:read"),
    scope: "grades:read",
    params,
    query: GradeChangesQuery,
    ...ok(listOf(GradeChange), "Changes with author, time, old and new value, and reason, newest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => listChanges(deps.db, actor, params.offering_id, query),
);

export const readMyGrades = endpoint(
  {
    id: "readMyGrades",
    method: "get",
    settles: "grades",
    path: `${offering}/my-grades`,
    summary: "Read the caller's grades",
    description: "Released item grades and the final grade.",
    ...signedIn,
    params,
    ...ok(OwnGrades, "The caller's grades"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) =>
    readAfterClosingExpiredAttempts(
      deps.db,
      deps.now(),
      personAttemptInOfferingCondition(actor.id, params.offering_id),
      () => readOwnGrades(deps.db, actor, params.offering_id),
    ),
);
