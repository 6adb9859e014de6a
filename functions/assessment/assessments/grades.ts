import * as finalizing from "../../../lib/assessment/finalizing.ts";
import { listGradeChanges as listChanges } from "../../../lib/assessment/grade-changes.ts";
import { gradebookCsv, readGradebook as readBook } from "../../../lib/assessment/gradebook.ts";
import * as schemes from "../../../lib/assessment/grading-schemes.ts";
import { importGrades as importFile } from "../../../lib/assessment/importing-grades.ts";
import { readOwnGrades } from "../../../lib/assessment/own-grades.ts";
import * as setting from "../../../lib/assessment/set-grades.ts";
import { attemptsIn, ownAttemptsIn, readSettled } from "../../../lib/assessment/settled.ts";
import { importFiles } from "../../../lib/files/import-files.ts";
import { csvFile } from "../../../lib/http/csv-file.ts";
import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may, signedIn } from "../../../lib/identity/auth/guards.ts";
import { resendScores } from "../../../lib/integrations/lti/resend-scores.ts";
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
    summary: "Read how an offering is graded",
    ...signedIn,
    scope: "grades:read",
    params,
    ...ok(GradingScheme, "What was set, or else what most are graded by"),
    fails: [404],
  },
  ({ deps, actor, params }) => schemes.getScheme(deps.db, actor, params.offering_id),
);

export const setGradingScheme = endpoint(
  {
    id: "setGradingScheme",
    method: "put",
    path: `${offering}/grading-scheme`,
    summary: "Set how an offering is graded",
    description:
      "From then on completing the course takes a grade that is final and passed. What is absent stays as it was; grades that are final stay.",
    ...may("grade:finalize"),
    params,
    body: GradingSchemeUpdate,
    versioned: GradingScheme,
    ...ok(GradingScheme, "How it is graded"),
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
    summary: "Take back how an offering is graded",
    description: "Then completing the course takes no grade. Not while a grade is final.",
    ...may("grade:finalize"),
    params,
    versioned: GradingScheme,
    ...noContent("It is graded as most are"),
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
    summary: "Read everyone's grades in an offering",
    description:
      "Of a quiz the best attempt counts, of other work the newest that is graded, scaled to the points of the item. A class of more than 500, or of more than 60 000 cells, is read in parts with `skip`.",
    ...may("grade:read"),
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
    readSettled(deps.db, deps.now(), attemptsIn(params.offering_id), async () => {
      const gradebook = await readBook(deps.db, actor, params.offering_id, query);
      return format === "json" ? gradebook : csvFile(http, gradebookCsv(gradebook));
    }),
);

export const importGrades = endpoint(
  {
    id: "importGrades",
    method: "post",
    path: `${offering}/gradebook/import`,
    summary: "Set scores from a CSV file, as the gradebook is exported",
    description:
      "What differs from what the gradebook shows is set in its place, unless the cell has changed since the file was exported. What is refused is told, and the rest is set; an import may be repeated.",
    ...may("grade:write"),
    params,
    body: GradeImport,
    ...ok(GradeImportResult, "What became of the fields"),
    fails: [400, 403, 404, 429, 503],
  },
  ({ deps, actor, params, body }) =>
    importFile(deps.db, actor, params.offering_id, body, {
      now: deps.now(),
      find: importFiles(deps, actor),
    }),
);

export const setItemGrade = endpoint(
  {
    id: "setItemGrade",
    method: "put",
    path: `${offering}/grades/{user_id}/items/{content_item_id}`,
    summary: "Set a score in place of what someone achieved in an item, or excuse them",
    description: "Either completes the item for them, a score in a quiz when it passes.",
    ...may("grade:write"),
    params: pathIds("offering_id", "user_id", "content_item_id"),
    body: ItemGradeUpdate,
    versioned: ItemGrade,
    ...ok(ItemGrade, "What is set"),
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
    summary: "Set the percentage of a course in place of what follows from the items",
    ...may("grade:finalize"),
    params: pathIds("offering_id", "user_id"),
    body: CourseGradeUpdate,
    versioned: CourseGradeOverride,
    ...ok(CourseGradeOverride, "What is set"),
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
    summary: "Let learners see their grades in items, or no more",
    ...may("grade:finalize"),
    params,
    body: GradeRelease,
    ...ok(GradeReleaseResult, "What is new"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    finalizing.releaseGrades(deps.db, actor, params.offering_id, body, deps.now()),
);

export const sendGradesToLms = endpoint(
  {
    id: "sendGradesToLms",
    method: "post",
    path: `${offering}/grades/send-to-lms`,
    summary: "Have grades sent to the LMS again",
    description:
      "They are sent by themselves when they are released and whenever they change. This sends again what the LMS refused, or has lost.",
    ...may("grade:write"),
    params,
    body: GradeSending,
    ...noContent("They are sent within a minute"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => resendScores(deps.db, actor, params.offering_id, body),
);

export const finalizeGrades = endpoint(
  {
    id: "finalizeGrades",
    method: "post",
    path: `${offering}/grades/finalize`,
    summary: "Make the grades of an offering final",
    description:
      "Attempts whose time is up are closed and graded first. Who has an attempt open then, or work that is not graded, in an item that counts is left out, unless `include_awaiting` has it count as nothing. Learners see their final grade, and enrollments that waited for it alone are completed. A final grade does not change until it is reopened: what is graded after it makes it outdated, and those who teach are told. Look at a `dry_run` first.",
    ...may("grade:finalize"),
    params,
    body: GradeFinalization,
    ...ok(GradeFinalizationResult, "How many are final now, and who awaits a grade"),
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
    summary: "Open final grades of an offering again",
    description: "An enrollment that was completed stays so, until a grade is final that is not passed.",
    ...may("grade:finalize"),
    params,
    body: GradeReopening,
    ...ok(GradeReopeningResult, "How many are open again"),
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
    summary: "List who changed which grade in an offering, when, from what to what, and why",
    ...may("grade:read"),
    scope: "grades:read",
    params,
    query: GradeChangesQuery,
    ...ok(listOf(GradeChange), "Changes, newest first"),
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
    summary: "Read one's own grades in an offering",
    description: "Those of the items that are released, and the final one.",
    ...signedIn,
    params,
    ...ok(OwnGrades, "One's grades"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) =>
    readSettled(deps.db, deps.now(), ownAttemptsIn(actor.id, params.offering_id), () =>
      readOwnGrades(deps.db, actor, params.offering_id),
    ),
);
