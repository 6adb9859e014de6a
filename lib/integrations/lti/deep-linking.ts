import { type SQL, sql } from "drizzle-orm";
import type { JWTPayload } from "jose";
import * as z from "zod";
import type { LtiLinks, LtiLinksCreate, LtiLinkTarget } from "../../../schema/api/integrations/lti-links.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import {
  ensurePermittedInOffering,
  explainOfferingRefusal,
  permittedOfferingQuery,
} from "../../courses/permitted-offering.ts";
import type { Deps } from "../../deps.ts";
import { badRequest, conflict } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  type DeepLinkingRequest,
  decryptDeepLinkingRequest,
  encryptSignedResponse,
} from "./deep-linking-request.ts";
import { allowedFrameOrigins } from "./known-platform.ts";
import { signToolJwt } from "./signing.ts";

const Picked = z.object({
  content_item_id: z.int().nullable(),
  module_id: z.int().nullable(),
  title: z.string(),
  opens_at: z.string().nullable(),
  due_at: z.string().nullable(),
  points: z.number().nullable(),
});

type Picked = z.output<typeof Picked>;

const Found = z.object({
  platform: z
    .object({
      issuer: z.string(),
      client_id: z.string(),
      auth_login_url: z.string(),
      frame_origins: z.array(z.string()),
    })
    .nullable(),
  picked: z.array(Picked),
  /** Null if a picked module or item does not exist. */
  is_first: z.boolean().nullable(),
});

/** Lifetime of the signed response, in seconds. */
const signedFor = 300;

/**
 * Signs the picked links, once a request: the database rejects the later of two answers. 404, or 403 if the
 * caller is not the offering's staff. 400 for an invalid ticket or one of another person or course, for
 * unknown or unpublished targets, and for several links if the LMS takes one. 409 if the request was
 * answered.
 */
export async function signDeepLinkingResponse(
  parts: Pick<Deps, "db" | "config" | "now">,
  actor: Actor,
  offeringId: number,
  { ticket, links }: LtiLinksCreate,
  service: string,
): Promise<LtiLinks> {
  const { db } = parts;
  const request = await decryptDeepLinkingRequest(parts, ticket).catch(async (error) => {
    await ensurePermittedInOffering(db, actor, "grade:read", offeringId);
    throw error;
  });
  const isTooMany = links.length > 1 && !request.accept_multiple;
  const wanted = isTooMany ? [] : links;
  const [found] = await rowsOf(db, Found, answering(actor, offeringId, request, wanted, parts.now()));
  if (!found) return explainOfferingRefusal(db, actor, offeringId);
  if (!found.platform) throw badRequest("deep_linking_of_another");
  if (isTooMany) throw badRequest("one_link_at_a_time");
  if (found.is_first === null) throw badRequest("not_linkable");
  if (!found.is_first) throw conflict("deep_linking_answered");
  const root = `${service}/lti/${request.university_id}`;
  const content_items = links.map((link) =>
    contentItem(request, pickedOf(found.picked, link), service, root),
  );
  const claims = responseClaims(request, found.platform, content_items);
  const jwt = await signToolJwt(parts, { claims, seconds: signedFor });
  const frame_origins = allowedFrameOrigins(found.platform);
  const sealed = await encryptSignedResponse(parts, { return_url: request.return_url, jwt, frame_origins });
  return { address: `${root}/deep-linking#${sealed}` };
}

/** Records the request's one answer if caller and links are valid. */
function answering(
  actor: Actor,
  offeringId: number,
  request: DeepLinkingRequest,
  links: readonly LtiLinkTarget[],
  now: Date,
): SQL {
  const items = [...new Set(links.flatMap(({ content_item_id: id }) => id ?? []))];
  const modules = [...new Set(links.flatMap(({ module_id: id }) => id ?? []))];
  const isCourse = links.some((link) => link.content_item_id === undefined && link.module_id === undefined);
  const count = items.length + modules.length + (isCourse ? 1 : 0);
  const itemIds = sql`${sql.param(items)}::integer[]`;
  return sql`
    with permitted as materialized (${permittedOfferingQuery(actor, "grade:read", offeringId)}), own as materialized (
      select run.id, run.course_id, platform.issuer, platform.client_id, platform.auth_login_url, platform.frame_origins
      from permitted
      join course_offerings as run on run.id = permitted.offering_id
      join lti_contexts as bound on bound.course_offering_id = run.id
        and bound.platform_id = ${request.platform_id}::int and bound.context_id = ${request.context_id}
      join lti_deployments as place on place.id = bound.deployment_id and place.deployment_id = ${request.deployment_id}
      join lti_platforms as platform on platform.id = bound.platform_id
      join lti_people as known on known.platform_id = platform.id
        and known.subject = ${request.subject} and known.user_id = ${actor.id}::int
    ), picked as materialized (
      select one.id as content_item_id, null::integer as module_id, one.title::text, dates.opens_at, dates.due_at,
             graded.max_points::float8 as points
      from own
      join content_items as one on one.course_id = own.course_id and one.id = any (${itemIds})
        and one.is_active and is_module_published_with_ancestors(one.module_id)
      left join effective_dates_of_items(own.id, null, ${itemIds}) as dates on dates.item_id = one.id
      left join gradebook_items_of_offering(own.id) as graded on graded.item_id = one.id
      union all
      select null, one.id, one.title, dates.opens_at, dates.due_at, 100
      from own
      join modules as one on one.course_id = own.course_id and one.id = any (${sql.param(modules)}::integer[])
        and is_module_published_with_ancestors(one.id)
      left join effective_dates_of_modules(own.id, null) as dates on dates.module_id = one.id
      union all
      select null, null, courses.title, null, null, 100
      from own join courses on courses.id = own.course_id where ${isCourse}::boolean
    )
    select (select to_jsonb(own) - '{id,course_id}'::text[] from own) as platform,
           coalesce((select jsonb_agg(jsonb_build_object(
             'content_item_id', content_item_id, 'module_id', module_id, 'title', title, 'points', points,
             'opens_at', ${momentForm(sql`opens_at`)}, 'due_at', ${momentForm(sql`due_at`)})) from picked), '[]') as picked,
           case when ${count}::int > 0 and (select count(*) from picked) = ${count}::int
             then claim_single_use_key_for_hour(${`links for LTI platform ${request.platform_id} ${request.id}`}, ${now.toISOString()}) end
             as is_first
    from permitted`;
}

function pickedOf(picked: readonly Picked[], { content_item_id, module_id }: LtiLinkTarget): Picked {
  const found = picked.find(
    (one) => one.content_item_id === (content_item_id ?? null) && one.module_id === (module_id ?? null),
  );
  if (!found) throw new Error("a chosen link was not counted");
  return found;
}

/** In the LMS's format (LTI Deep Linking 2.0, 3.1). The line item's maximum equals that of posted scores. */
function contentItem(
  { accept_line_item }: DeepLinkingRequest,
  picked: Picked,
  service: string,
  root: string,
): object {
  const { content_item_id, module_id, title, opens_at, due_at, points } = picked;
  const name = content_item_id ? `item:${content_item_id}` : module_id ? `module:${module_id}` : "course";
  const isColumn = accept_line_item && points !== null && points > 0;
  return {
    type: "ltiResourceLink",
    title,
    url: `${root}/launch`,
    icon: { url: `${service}/app/icon.svg` },
    custom: {
      ...(content_item_id && { content_item_id: String(content_item_id) }),
      ...(module_id && { module_id: String(module_id) }),
    },
    ...(isColumn && { lineItem: { scoreMaximum: points, label: title, resourceId: name } }),
    ...(opens_at && { available: { startDateTime: opens_at } }),
    ...(due_at && { submission: { endDateTime: due_at } }),
  };
}

const claim = "https://purl.imsglobal.org/spec/lti/claim/";
const linkingClaim = "https://purl.imsglobal.org/spec/lti-dl/claim/";

const responseClaims = (
  { id, deployment_id, data }: DeepLinkingRequest,
  { issuer, client_id }: { issuer: string; client_id: string },
  content_items: object[],
): JWTPayload => ({
  iss: client_id,
  aud: issuer,
  nonce: id,
  [`${claim}deployment_id`]: deployment_id,
  [`${claim}message_type`]: "LtiDeepLinkingResponse",
  [`${claim}version`]: "1.3.0",
  [`${linkingClaim}content_items`]: content_items,
  ...(data !== undefined && { [`${linkingClaim}data`]: data }),
});
