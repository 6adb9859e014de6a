import { type SQL, sql } from "drizzle-orm";
import type { ToolCaller } from "./access-tokens.ts";
import { deploymentIdQuery, subjectKeySql, toolAvailableToUniversityCondition } from "./deployments.ts";
import { navigationItemId } from "./tool-addresses.ts";

/** One row if the tool is deployed in the offering's course: the offering, and the tool's settings. */
export const deployedOfferingQuery = ({ tool_id }: ToolCaller, offeringId: number): SQL => sql`
  select run.id as offering_id, run.course_id, run.university_id, tool.id as tool_id, tool.name as tool_name,
         ${subjectKeySql(sql`run.university_id`)} as subject_key, tool.shares_name, tool.shares_email, tool.in_navigation
  from course_offerings as run
  join lti_tools as tool on ${toolAvailableToUniversityCondition(sql`run.university_id`)}
  join universities as university on university.id = run.university_id and university.is_active
  where run.id = ${offeringId} and tool.id = ${tool_id}
    and exists (${deploymentIdQuery(sql`run.course_id`, sql`run.university_id`)})`;

/**
 * On `deployed` and `item`: the tool's active, graded items in the offering. A line item that the tool created belongs
 * to one offering.
 */
export const lineItemOfDeployedToolCondition = sql`item.course_id = deployed.course_id and item.is_active and item.data_json ? 'max_points'
  and json_number(item.data_json -> 'lti_tool_id') = deployed.tool_id
  and coalesce(json_number(item.data_json #> '{line_item,offering_id}'), deployed.offering_id) = deployed.offering_id
  and item.content_type_id = (select id from content_types where name = 'external_tool')`;

/** On `deployed`: whether the resource link is an item of the tool, or the tool is in the navigation. */
export const resourceLinkOfDeployedToolCondition = (itemId: number | null): SQL => sql`(
  ${itemId}::int is null or ${itemId}::int = ${navigationItemId} and deployed.in_navigation or exists (
    select from content_items as item where item.id = ${itemId}::int and item.course_id = deployed.course_id
      and json_number(item.data_json -> 'lti_tool_id') = deployed.tool_id))`;
