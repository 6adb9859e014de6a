import type { JWTPayload } from "jose";
import * as z from "zod";
import type { KnownPlatform } from "./known-platform.ts";
import { type LaunchedRole, mapLaunchRolesToCourseRole } from "./launch-roles.ts";
import { LtiRefusal } from "./refusals.ts";

/** Input of the function `process_lti_launch`. */
export type ParsedLaunchClaims = {
  deployment_id: string;
  subject: string;
  name?: string | undefined;
  email?: string | undefined;
  sourced_id?: string | undefined;
  role?: LaunchedRole | undefined;
  context?: LaunchContext | undefined;
  /** Absent if the launch requests links. */
  link?: ToldLink | undefined;
};

export type LaunchContext = {
  id: string;
  title: string;
  memberships_url?: string | undefined;
  line_items_url?: string | undefined;
  grade_scopes: string[];
};

type ToldLink = {
  id: string;
  title?: string | undefined;
  content_item_id?: number | undefined;
  module_id?: number | undefined;
  line_item_url?: string | undefined;
};

const prefixes = [
  "https://purl.imsglobal.org/spec/lti/claim/",
  "https://purl.imsglobal.org/spec/lti-ags/claim/",
  "https://purl.imsglobal.org/spec/lti-nrps/claim/",
  "https://purl.imsglobal.org/spec/lti-dl/claim/",
];

/** LTI claims by short name, together with those of OpenID Connect. */
export const shortenLtiClaims = (payload: JWTPayload): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(payload).map(([name, value]) => {
      const prefix = prefixes.find((one) => name.startsWith(one)) ?? "";
      return [name.slice(prefix.length), value];
    }),
  );

const id = z.string().min(1).max(255);

/** One line; other values and blank text count as absent. */
const line = (max: number) =>
  z
    .string()
    .transform((text) =>
      text
        .replace(/[\p{Cc}\p{Cs}\s]+/gu, " ")
        .trim()
        .slice(0, max),
    )
    .transform((text) => text || undefined)
    .optional()
    .catch(undefined);

const address = z
  .string()
  .max(2000)
  .regex(/^https?:\/\/[\x21-\x7e]+$/)
  .optional()
  .catch(undefined);

/** Ids in a link's custom parameters, which are texts. */
const reference = z
  .union([z.string().regex(/^[1-9]\d{0,8}$/), z.int().positive().max(999_999_999)])
  .transform(Number)
  .optional()
  .catch(undefined);

/** LTI Core 1.3, 5.3. Personal data, roles and the context are optional. */
const LaunchClaims = z.object({
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  deployment_id: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  target_link_uri: z.string().max(2000),
  resource_link: z.object({ id, title: line(255) }).optional(),
  context: z.object({ id, title: line(255), label: line(255) }).optional(),
  roles: z.array(z.string().max(500)).max(200).optional().catch(undefined),
  lis: z
    .object({ person_sourcedid: line(255) })
    .optional()
    .catch(undefined),
  custom: z.object({ content_item_id: reference, module_id: reference }).optional().catch(undefined),
  endpoint: z
    .object({ scope: z.array(z.string().max(255)).max(20).catch([]), lineitems: address, lineitem: address })
    .optional()
    .catch(undefined),
  namesroleservice: z.object({ context_memberships_url: address }).optional().catch(undefined),
  name: line(255),
  given_name: line(120),
  family_name: line(120),
  email: z.email().max(255).optional().catch(undefined),
});

type Claims = z.output<typeof LaunchClaims>;

/** Open a link's target, or pick targets for links. */
export const ltiMessageTypes = {
  link: "LtiResourceLinkRequest",
  picking: "LtiDeepLinkingRequest",
  review: "LtiSubmissionReviewRequest",
} as const;

/** A verified launch's data, and the address that it requests. Throws `LtiRefusal`. */
export function parseLaunchClaims(
  platform: KnownPlatform,
  claims: Record<string, unknown>,
): { told: ParsedLaunchClaims; target: string } {
  if (claims["version"] !== "1.3.0") throw new LtiRefusal("version");
  const isForLink = claims["message_type"] === ltiMessageTypes.link;
  if (!isForLink && claims["message_type"] !== ltiMessageTypes.picking) throw new LtiRefusal("message");
  const { data } = LaunchClaims.safeParse(isForLink ? claims : { ...claims, resource_link: undefined });
  if (!data || (isForLink && !data.resource_link)) throw new LtiRefusal("claims");
  return { told: toldOf(platform, data), target: data.target_link_uri };
}

function toldOf({ staff_by_institution_role }: KnownPlatform, claims: Claims): ParsedLaunchClaims {
  const { resource_link: link, custom, endpoint } = claims;
  return {
    deployment_id: claims.deployment_id,
    subject: claims.sub,
    name: claims.name ?? ([claims.given_name, claims.family_name].filter(Boolean).join(" ") || undefined),
    email: claims.email?.toLowerCase(),
    sourced_id: claims.lis?.person_sourcedid,
    role: mapLaunchRolesToCourseRole(claims.roles ?? [], staff_by_institution_role),
    context: claims.context && contextOf(claims.context, claims),
    link: link && { ...link, ...custom, line_item_url: endpoint?.lineitem },
  };
}

const contextOf = (
  { id, title, label }: NonNullable<Claims["context"]>,
  { endpoint, namesroleservice }: Claims,
): LaunchContext => ({
  id,
  title: title ?? label ?? id,
  memberships_url: namesroleservice?.context_memberships_url,
  line_items_url: endpoint?.lineitems,
  grade_scopes: endpoint?.scope ?? [],
});
