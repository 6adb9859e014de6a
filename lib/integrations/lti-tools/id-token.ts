import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { JWTPayload } from "jose";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { sealToken } from "../../identity/auth/sealing.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { productName } from "../../platform/product.ts";
import { ltiMessageTypes } from "../lti/launch-claims.ts";
import { LtiRefusal } from "../lti/refusals.ts";
import { scopesGrantedToTools } from "../lti/service-scopes.ts";
import { currentSigningKeyQuery, SigningKey, signWithKey } from "../lti/signing.ts";
import { replaceVariables, type VariableValues } from "./custom-parameters.ts";
import { deploymentIdQuery, subjectKeySql, toolAvailableToUniversityCondition } from "./deployments.ts";
import type { BrowserBoundTicket, ToolRole } from "./launch-ticket.ts";
import { encryptSubject } from "./subjects.ts";
import {
  lineItemsUrl,
  lineItemUrl,
  ltiPlatformEndpoints,
  membershipsUrl,
  resourceLinkId,
} from "./tool-addresses.ts";

type Parts = Pick<Deps, "config" | "now"> & { db: ReadDb };

/** Lifetime of an id token in seconds. */
const tokenSeconds = 300;

/** For the person to choose content at the tool, in seconds. */
export const toolDeepLinkingRequestLifetimeSeconds = 3600;

/** The request for links that a deep linking response returns. */
export type ToolDeepLinkingRequest = {
  tool_id: number;
  client_id: string;
  deployment_id: string;
  course_id: number;
  person_id: number;
  jti: string;
};

const Launched = z.object({
  tool_name: z.string(),
  is_in_navigation: z.boolean(),
  redirect_uris: z.array(z.string()),
  shares_name: z.boolean(),
  shares_email: z.boolean(),
  custom_parameters: z.record(z.string(), z.string()),
  university: z.string(),
  full_name: z.string(),
  email: z.string().nullable(),
  locale: z.string(),
  course_title: z.string(),
  course_code: z.string(),
  item: z
    .object({
      title: z.string(),
      description: z.string().nullable(),
      custom: z.record(z.string(), z.string()).nullable(),
      is_graded: z.boolean(),
      due_at: z.string().nullable(),
      is_own: z.boolean(),
      own_link: z.string().nullable(),
      review_custom: z.record(z.string(), z.string()).nullable(),
    })
    .nullable(),
  /** The person whose work is reviewed. */
  reviewed: z.object({ full_name: z.string(), email: z.string().nullable() }).nullable(),
  subject_key: z.string(),
  key: SigningKey.nullable(),
});
type Launched = z.output<typeof Launched>;

/** The request of a tool's browser, after its login initiation. */
export type AuthorizationRequest = { client_id: string; redirect_uri: string; nonce: string };

/**
 * A signed id token for the permitted launch, in one round trip. Throws `LtiRefusal` if the tool, the person or the
 * item is gone, or if the redirect address is not registered.
 */
export async function createIdToken(
  parts: Parts,
  ticket: BrowserBoundTicket,
  request: AuthorizationRequest,
  service: string,
): Promise<{ id_token: string; redirect_uris: string[] }> {
  const [found] = await rowsOf(parts.db, Launched, launchedRow(ticket, parts.now()));
  if (!found) throw new LtiRefusal("tool_gone");
  if (!found.key) throw new Error("the platform has no LTI key yet");
  if (!found.redirect_uris.includes(request.redirect_uri)) throw new LtiRefusal("tool_redirect");
  const claims = {
    iss: service,
    aud: ticket.client_id,
    sub: ticket.subject,
    nonce: request.nonce,
    ...personClaims(found),
    ...(await messageClaims(parts, ticket, found, service)),
  };
  const id_token = await signWithKey(parts, found.key, { claims, seconds: tokenSeconds });
  return { id_token, redirect_uris: found.redirect_uris };
}

const launchedRow = (ticket: BrowserBoundTicket, now: Date) => sql`
  select tool.name as tool_name, tool.in_navigation as is_in_navigation, tool.redirect_uris, tool.shares_name, tool.shares_email, tool.custom_parameters,
         university.name as university, person.full_name, person.email, person.locale, course.title as course_title,
         course.code as course_code, (
           select json_build_object('title', item.title, 'description', item.description,
             'is_own', item.data_json ? 'line_item', 'own_link', item.data_json #>> '{line_item,resource_link_id}',
             'review_custom', item.data_json #> '{submission_review,custom}',
             'custom', item.data_json -> 'custom', 'is_graded', item.data_json ? 'max_points',
             'due_at', to_char(dates.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
           from content_items as item
           cross join lateral effective_dates_of_items(${ticket.offering_id ?? null}::int, person.id, array[item.id]) as dates
           where item.id = ${ticket.content_item_id ?? null}::int and item.course_id = course.id
             and json_number(item.data_json -> 'lti_tool_id') = tool.id
         ) as item, (
           select json_build_object('full_name', learner.full_name, 'email', learner.email) from users as learner
           join enrollments as seat on seat.user_id = learner.id and seat.is_admitted
             and seat.course_offering_id = ${ticket.offering_id ?? null}::int
           where learner.id = ${ticket.reviewed_person_id ?? null}::int
         ) as reviewed, ${subjectKeySql(sql`university.id`)} as subject_key, (select to_json(one) from (${currentSigningKeyQuery(now)}) as one) as key
  from lti_tools as tool
  join courses as course on course.id = ${ticket.course_id} and ${toolAvailableToUniversityCondition(sql`course.university_id`)}
  join universities as university on university.id = course.university_id and university.is_active
  join users as person on person.id = ${ticket.person_id} and person.is_active
  where tool.id = ${ticket.tool_id} and tool.client_id = ${ticket.client_id}
    and ${ticket.deployment_id} in (${deploymentIdQuery(sql`course.id`, sql`university.id`)})`;

const claim = "https://purl.imsglobal.org/spec/lti/claim/";
const membership = "http://purl.imsglobal.org/vocab/lis/v2/membership";

export const ltiRolesByToolRole: Readonly<Record<ToolRole, readonly string[]>> = {
  learner: [`${membership}#Learner`],
  instructor: [`${membership}#Instructor`],
  ta: [`${membership}#Instructor`, `${membership}/Instructor#TeachingAssistant`],
};

const personClaims = ({ shares_name, shares_email, full_name, email, locale }: Launched): JWTPayload => ({
  locale,
  ...(shares_name && { name: full_name }),
  ...(shares_email && email !== null && { email }),
});

async function messageClaims(
  parts: Parts,
  ticket: BrowserBoundTicket,
  found: Launched,
  service: string,
): Promise<JWTPayload> {
  const { offering_id, content_item_id } = ticket;
  const contextId = offering_id === undefined ? `course-${ticket.course_id}` : String(offering_id);
  const common = {
    [`${claim}version`]: "1.3.0",
    [`${claim}deployment_id`]: ticket.deployment_id,
    [`${claim}target_link_uri`]: ticket.target,
    [`${claim}roles`]: ltiRolesByToolRole[ticket.role],
    [`${claim}context`]: {
      id: contextId,
      label: found.course_code,
      title: found.course_title,
      type: [
        `http://purl.imsglobal.org/vocab/lis/v2/course#${offering_id === undefined ? "CourseTemplate" : "CourseOffering"}`,
      ],
    },
    [`${claim}tool_platform`]: {
      guid: `${service}/universities/${ticket.university_id}`,
      name: found.university,
      product_family_code: productName.toLowerCase(),
    },
    [`${claim}launch_presentation`]: {
      document_target: ticket.is_framed ? "iframe" : "window",
      locale: found.locale,
    },
  };
  const values = variables(ticket, found, contextId);
  if (offering_id === undefined)
    return {
      ...common,
      [`${claim}message_type`]: ltiMessageTypes.picking,
      [`${claim}custom`]: replaceVariables(found.custom_parameters, values),
      "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings": {
        deep_link_return_url: ltiPlatformEndpoints(service).links,
        accept_types: ["ltiResourceLink"],
        accept_presentation_document_targets: ["iframe", "window"],
        accept_multiple: true,
        accept_lineitem: true,
        data: await sealLinkRequest(parts, ticket),
      },
    };
  if (content_item_id === undefined ? !found.is_in_navigation : !found.item)
    throw new LtiRefusal("tool_gone");
  const isReview = ticket.reviewed_person_id !== undefined;
  const link =
    isReview && found.item?.is_own ? found.item.own_link : resourceLinkId(offering_id, content_item_id);
  const custom = { ...found.custom_parameters, ...found.item?.custom };
  return {
    ...common,
    ...reviewClaims(ticket, found),
    ...(link !== null && {
      [`${claim}resource_link`]: {
        id: link,
        title: found.item?.title ?? found.tool_name,
        ...(found.item?.description && { description: found.item.description }),
      },
    }),
    [`${claim}custom`]: replaceVariables(
      isReview ? { ...custom, ...found.item?.review_custom } : custom,
      values,
    ),
    "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint": {
      scope: scopesGrantedToTools.filter((scope) => scope.includes("/lti-ags/")),
      lineitems: lineItemsUrl(service, offering_id),
      ...(content_item_id !== undefined &&
        found.item?.is_graded && { lineitem: lineItemUrl(service, offering_id, content_item_id) }),
    },
    "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice": {
      context_memberships_url: membershipsUrl(service, offering_id),
      service_versions: ["2.0"],
    },
  };
}

/** The message's type, and the learner of a review. */
function reviewClaims({ reviewed_person_id }: BrowserBoundTicket, found: Launched): JWTPayload {
  if (reviewed_person_id === undefined) return { [`${claim}message_type`]: ltiMessageTypes.link };
  const { reviewed, subject_key, shares_name, shares_email } = found;
  if (!reviewed) throw new LtiRefusal("tool_gone");
  return {
    [`${claim}message_type`]: ltiMessageTypes.review,
    [`${claim}for_user`]: {
      user_id: encryptSubject(subject_key, reviewed_person_id),
      roles: ltiRolesByToolRole.learner,
      ...(shares_name && { name: reviewed.full_name }),
      ...(shares_email && reviewed.email !== null && { email: reviewed.email }),
    },
  };
}

function variables(ticket: BrowserBoundTicket, found: Launched, contextId: string): VariableValues {
  const { item, shares_name, shares_email } = found;
  const { offering_id, content_item_id } = ticket;
  return {
    "User.id": ticket.subject,
    "Person.name.full": shares_name ? found.full_name : undefined,
    "Person.email.primary": shares_email ? (found.email ?? undefined) : undefined,
    "Message.locale": found.locale,
    "Context.id": contextId,
    "Context.title": found.course_title,
    "Context.label": found.course_code,
    "CourseSection.title": found.course_title,
    "Membership.role": ltiRolesByToolRole[ticket.role].join(","),
    "ResourceLink.id": offering_id ? resourceLinkId(offering_id, content_item_id) : undefined,
    "ResourceLink.title": item?.title ?? (offering_id ? found.tool_name : undefined),
    "ResourceLink.description": item?.description ?? undefined,
    "ResourceLink.submission.endDateTime": item?.due_at ?? undefined,
    "ToolPlatformInstance.name": found.university,
    "ToolPlatform.productFamilyCode": productName.toLowerCase(),
  };
}

const sealLinkRequest = (parts: Parts, ticket: BrowserBoundTicket): Promise<string> => {
  const { tool_id, client_id, deployment_id, course_id, person_id } = ticket;
  const request: ToolDeepLinkingRequest = {
    tool_id,
    client_id,
    deployment_id,
    course_id,
    person_id,
    jti: randomUUID(),
  };
  return sealToken(parts, "links of a tool of LTI", toolDeepLinkingRequestLifetimeSeconds, request);
};
