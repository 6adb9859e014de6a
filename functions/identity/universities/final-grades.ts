import { csvFileResponse } from "../../../lib/http/csv-file.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { finalGradesCsv, readFinalGrades } from "../../../lib/integrations/event-feed/read-final-grades.ts";
import { FinalGradeQuery, FinalGrades } from "../../../schema/api/assessment/final-grades.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const listFinalGrades = endpoint(
  {
    id: "listFinalGrades",
    method: "get",
    path: "/{university_id}/final-grades",
    summary: "List final grades of a university",
    description:
      "Returns each grade in its current state, in the order of its last change. A client that sends " +
      "`next` as `since` misses no change. A grade is returned again when it is reopened (`is_final` " +
      "false), finalized again, or outdated. Returns 410 if the database was restored to a state before " +
      "`since`: start without it.",
    ...permittedTo("final-grade:read"),
    scope: "grades:read",
    params: pathIds("university_id"),
    query: FinalGradeQuery,
    ...ok(FinalGrades, "The next grades, earliest change first", {
      "text/csv":
        "user_id,external_id,full_name,given_name,family_name,course_id,course_code,course_offering_id,offering_external_id,term_id,is_final,final_score,letter_grade,passed,graded_at,is_outdated,change_number\r\n7,s-1815,Ada Lovelace,Ada,Lovelace,3,AST-201,12,ast201-2026,2,true,87.5,B,true,2026-07-01T12:00:00.000Z,false,1815-42\r\n",
    }),
    fails: [403, 404, 410],
  },
  async ({ deps, actor, params, query, http }) => {
    const grades = await readFinalGrades(deps.db, actor, params.university_id, query);
    return query.format === "json" ? grades : csvFileResponse(http, finalGradesCsv(grades));
  },
);
