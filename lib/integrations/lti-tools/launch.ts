import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { LtiToolLaunch } from "../../../schema/api/integrations/lti-tools.ts";
import { ltiToolTargets } from "../../../schema/enums.ts";
import { AccessRefusal, accessRefusalError } from "../../courses/content/item-access.ts";
import {
  coursePermissionCondition,
  offeringPermissionCondition,
  visibleCourseCondition,
} from "../../courses/course-permissions.ts";
import type { Deps } from "../../deps.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { personIdIfOfferingInTokenReachSql } from "../../identity/auth/token-reach.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { deploymentIdQuery, subjectKeySql, toolAvailableToUniversityCondition } from "./deployments.ts";
import {
  encryptTicket,
  type ToolLaunchTicket,
  type ToolRole,
  toolLaunchTicketLifetimeSeconds,
} from "./launch-ticket.ts";
import { encryptSubject } from "./subjects.ts";

type Parts = Pick<Deps, "config" | "now"> & { db: ReadDb };

export const toolShape = {
  tool_id: z.int().nullable(),
  client_id: z.string().nullable(),
  login_url: z.string().nullable(),
  launch_url: z.string().nullable(),
  deep_linking_url: z.string().nullable(),
  subject_key: z.string().nullable(),
  tool_name: z.string().nullable(),
  target: z.enum(ltiToolTargets).nullable(),
  deployment_id: z.string().nullable(),
};

export const launcherShape = { is_learner: z.boolean(), is_staff: z.boolean(), is_teacher: z.boolean() };
type Launcher = { [Key in keyof typeof launcherShape]: boolean };

/** On `tool` and `courses`. */
export const toolColumnsSql = sql`tool.id as tool_id, tool.client_id, tool.login_url, tool.launch_url, tool.deep_linking_url,
  ${subjectKeySql(sql`courses.university_id`)} as subject_key, tool.name as tool_name, tool.target,
  (${deploymentIdQuery(sql`courses.id`, sql`courses.university_id`)}) as deployment_id`;

const Launchable = z.object({
  ...toolShape,
  ...launcherShape,
  university_id: z.int(),
  course_id: z.int(),
  url: z.string().nullable(),
  refusal: AccessRefusal.nullable(),
});

/** On `course_offerings` and `courses`: the caller's part in the offering. */
export function launcherColumnsSql(actor: Actor, offeringId: number): SQL {
  const person = personIdIfOfferingInTokenReachSql(actor, offeringId);
  return sql`exists (
               select from enrollments as seat where seat.user_id = ${person}::int
                 and seat.course_offering_id = course_offerings.id and seat.is_admitted) as is_learner,
             ${offeringPermissionCondition(actor, "roster:read")} as is_staff,
             ${offeringPermissionCondition(actor, "grade:finalize")} or exists (
               select from offering_staff as launched
               where launched.user_id = ${person}::int and launched.course_offering_id = course_offerings.id
                 and launched.role = 'instructor' and launched.removed_at is null) as is_teacher`;
}

/** Throws 403 for people without a seat who are not staff. */
export function launchRoleOf({ is_learner, is_staff, is_teacher }: Launcher): ToolRole {
  if (!is_learner && !is_staff) throw forbidden("not_enrolled");
  if (is_learner) return "learner";
  return is_teacher ? "instructor" : "ta";
}

/**
 * Starts a launch of a tool's item in an offering. 404 for a hidden item, 403 for people without a seat who are not
 * staff, and 400 if the tool is not deployed in the course.
 */
export async function startItemLaunch(
  parts: Parts,
  actor: Actor,
  { offering_id, external_tool_id }: { offering_id: number; external_tool_id: number },
  service: string,
): Promise<LtiToolLaunch> {
  const person = personIdIfOfferingInTokenReachSql(actor, offering_id);
  const [found] = await rowsOf(
    parts.db,
    Launchable,
    sql`
      select ${toolColumnsSql},
             courses.university_id, courses.id as course_id, item.data_json ->> 'url' as url,
             item_access_refusal(item.id, ${person}::int, ${parts.now().toISOString()}, offering => course_offerings.id) as refusal,
             ${launcherColumnsSql(actor, offering_id)}
      from course_offerings join courses on courses.id = course_offerings.course_id
      join content_items as item on item.course_id = courses.id
      join content_types as type on type.id = item.content_type_id and type.name = 'external_tool'
      left join lti_tools as tool
        on tool.id = json_number(item.data_json -> 'lti_tool_id') and ${toolAvailableToUniversityCondition(sql`courses.university_id`)}
      where course_offerings.id = ${offering_id} and item.id = ${external_tool_id}`,
  );
  if (!found) throw notFound("Content item");
  if (found.refusal) throw accessRefusalError(found.refusal);
  return createToolLaunch(parts, actor, found, service, {
    role: launchRoleOf(found),
    target: found.url ?? found.launch_url ?? "",
    offering_id,
    content_item_id: external_tool_id,
  });
}

const Pickable = z.object({
  ...toolShape,
  university_id: z.int(),
  course_id: z.int(),
  may_write: z.boolean(),
});

/** Starts Deep Linking into a module. 404 for a hidden course or tool, 403 unless the caller writes its content. */
export async function startDeepLinkingLaunch(
  parts: Parts,
  actor: Actor,
  { course_id, lti_tool_id }: { course_id: number; lti_tool_id: number },
  service: string,
): Promise<LtiToolLaunch> {
  const [found] = await rowsOf(
    parts.db,
    Pickable,
    sql`
      select ${toolColumnsSql}, courses.university_id,
             courses.id as course_id, ${coursePermissionCondition(actor, "content:write")} as may_write
      from courses left join lti_tools as tool
        on tool.id = ${lti_tool_id} and ${toolAvailableToUniversityCondition(sql`courses.university_id`)}
      where courses.id = ${course_id} and ${visibleCourseCondition(actor)}`,
  );
  if (!found) throw notFound("Course");
  if (!found.may_write) throw forbidden();
  if (found.tool_id === null) throw notFound("LTI tool");
  if (found.deep_linking_url === null) throw badRequest("lti_tool_without_deep_linking");
  return createToolLaunch(parts, actor, found, service, {
    target: found.deep_linking_url,
    role: "instructor",
  });
}

type Found = Pick<z.output<typeof Pickable>, keyof typeof toolShape | "university_id" | "course_id">;

/** 400 without a deployment in the course. */
export async function createToolLaunch(
  parts: Parts,
  actor: Actor,
  found: Found,
  service: string,
  purpose: Pick<
    ToolLaunchTicket,
    "target" | "role" | "offering_id" | "content_item_id" | "reviewed_person_id"
  >,
): Promise<LtiToolLaunch> {
  const { tool_id, client_id, login_url, subject_key, deployment_id, university_id, course_id } = found;
  if (
    tool_id === null ||
    client_id === null ||
    login_url === null ||
    subject_key === null ||
    deployment_id === null
  )
    throw badRequest("lti_tool_not_deployed");
  // Choosing content ends in the editor around the frame.
  const opensIn = found.target === "window" && purpose.offering_id !== undefined ? "WINDOW" : "FRAME";
  const sealed = await encryptTicket(parts, {
    ...{ tool_id, client_id, deployment_id, login_url, university_id, course_id, person_id: actor.id },
    subject: encryptSubject(subject_key, actor.id),
    is_framed: opensIn === "FRAME",
    ...purpose,
  });
  return {
    launch_url: `${service}/lti/tools/start?launch=${sealed}`,
    target: opensIn,
    tool_name: found.tool_name ?? "",
    expires_at: new Date(parts.now().getTime() + toolLaunchTicketLifetimeSeconds * 1000).toISOString(),
  };
}
