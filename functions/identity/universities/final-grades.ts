import { csvFile } from "../../../lib/http/csv-file.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { finalGradesCsv, readFinalGrades } from "../../../lib/integrations/event-feed/read-final-grades.ts";
import { FinalGradeQuery, FinalGrades } from "../../../schema/api/assessment/final-grades.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const listFinalGrades = endpoint(
  {
    id: "listFinalGrades",
    method: "get",
    path: "/{university_id}/final-grades",
    summary: "Read the final grades of a university, behind a change number",
    description:
      "For its administrators and keys. Each grade is answered as it is now, in the order of the last changes, as soon as " +
      "nothing that began before is open: who goes on with `since` from `next` misses no change. A grade comes again once it " +
      "is opened (`is_final` false), made final anew, or outdated. A number of a database that was restored since to what it " +
      "was before is a 410: begin anew.",
    ...may("final-grade:read"),
    scope: "grades:read",
    params: pathIds("university_id"),
    query: FinalGradeQuery,
    ...ok(FinalGrades, "The next grades, those that changed longest ago first", {
      "text/csv":
        "user_id,external_id,full_name,given_name,family_name,course_id,course_code,course_offering_id,offering_external_id,term_id,is_final,final_score,letter_grade,passed,graded_at,is_outdated,change_number\r\n7,s-1815,Ada Lovelace,Ada,Lovelace,3,AST-201,12,ast201-2026,2,true,87.5,B,true,2026-07-01T12:00:00.000Z,false,1815-42\r\n",
    }),
    fails: [403, 404, 410],
  },
  async ({ deps, actor, params, query, http }) => {
    const grades = await readFinalGrades(deps.db, actor, params.university_id, query);
    return query.format === "json" ? grades : csvFile(http, finalGradesCsv(grades));
  },
);
