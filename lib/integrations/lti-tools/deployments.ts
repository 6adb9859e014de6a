import { type SQL, sql } from "drizzle-orm";

/*
 * A university's tool is deployed in all of it or in some courses. A tool of the platform is deployed in each
 * university, under an id of its own and with other pseudonyms of people.
 */

/** On `tool`: whether it is the university's or the platform's. */
export const toolAvailableToUniversityCondition = (universityId: SQL): SQL =>
  sql`(tool.university_id = ${universityId} or tool.university_id is null)`;

/** On `tool`: the deployment id that applies in the course of the university; of several, the course's. */
export const deploymentIdQuery = (courseId: SQL, universityId: SQL): SQL => sql`
  (select placed.id::text from lti_tool_deployments as placed
   where placed.tool_id = tool.id and coalesce(placed.course_id, ${courseId}) = ${courseId}
   order by placed.course_id limit 1)
  union all
  select 'university-' || ${universityId} where tool.id is not null and tool.university_id is null`;

/** On `tool`: the key of its pseudonyms in the university. */
export const subjectKeySql = (universityId: SQL): SQL => sql`
  case when tool.university_id is not null then tool.subject_key
       else left(encode(sha256(convert_to(tool.subject_key || ' ' || ${universityId}, 'UTF8')), 'hex'), 32) end`;
