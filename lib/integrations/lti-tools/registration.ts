import { randomUUID } from "node:crypto";
import * as z from "zod";
import { type LtiTool, LtiToolCreate } from "../../../schema/api/integrations/lti-tools.ts";
import type { Deps } from "../../deps.ts";
import { invalidField, unauthorized } from "../../errors.ts";
import { type Actor, findActiveActor, toTokenBearer } from "../../identity/auth/actor.ts";
import { sealToken, unsealToken } from "../../identity/auth/sealing.ts";
import { getUniversity } from "../../identity/universities/universities.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { productName } from "../../platform/product.ts";
import type { TokenBearer } from "../../platform/secrets/tokens.ts";
import { ltiMessageTypes } from "../lti/launch-claims.ts";
import { scopesGrantedToTools } from "../lti/service-scopes.ts";
import { tryClaimNameForHour } from "./access-tokens.ts";
import { parseToolBody } from "./parse-body.ts";
import { ltiPlatformEndpoints } from "./tool-addresses.ts";
import { canManageTools, ensureHttpsAddresses, ensureManagesTools, insertTool } from "./tools.ts";

/*
 * LTI Dynamic Registration 1.0: an administrator opens the tool's address with a token, which registers one tool,
 * once, within an hour.
 */

/** In seconds. */
const lifetime = 3600;

const purpose = "registration of a tool of LTI by its creator";

type Parts = Pick<Deps, "config" | "now">;

/** Without a university, for a tool of the platform. */
type Invitation = { university_id: number | null; maker: TokenBearer; jti: string };

/** 404 for an unknown university, 403 unless administrator, 422 for an address without https. */
export async function createToolRegistrationUrl(
  parts: Parts & { db: ReadDb },
  actor: Actor,
  universityId: number | null,
  address: string,
  service: string,
): Promise<{ registration_url: string; expires_at: string }> {
  await ensureManagesTools(parts.db, actor, universityId);
  if (universityId !== null) await getUniversity(parts.db, universityId);
  ensureHttpsAddresses(parts.config, { registration_url: address });
  const maker = toTokenBearer(actor);
  const invitation: Invitation = { university_id: universityId, maker, jti: randomUUID() };
  const url = new URL(address);
  url.searchParams.set("openid_configuration", ltiPlatformEndpoints(service).configuration);
  url.searchParams.set("registration_token", await sealToken(parts, purpose, lifetime, invitation));
  const expires_at = new Date(parts.now().getTime() + lifetime * 1000).toISOString();
  return { registration_url: url.href, expires_at };
}

const platformClaim = "https://purl.imsglobal.org/spec/lti-platform-configuration";
const toolClaim = "https://purl.imsglobal.org/spec/lti-tool-configuration";

/** As Canvas and Moodle name it. */
const navigationPlacement = "course_navigation";

const claims = ["iss", "sub", "name", "email", "locale"];

/** OpenID Connect Discovery with LTI's additions. */
export function platformConfiguration(service: string): object {
  const { issuer, authorize, token, registration, jwks } = ltiPlatformEndpoints(service);
  return {
    issuer,
    authorization_endpoint: authorize,
    token_endpoint: token,
    token_endpoint_auth_methods_supported: ["private_key_jwt"],
    token_endpoint_auth_signing_alg_values_supported: ["RS256"],
    jwks_uri: jwks,
    registration_endpoint: registration,
    scopes_supported: ["openid", ...scopesGrantedToTools],
    response_types_supported: ["id_token"],
    response_modes_supported: ["form_post"],
    grant_types_supported: ["implicit", "client_credentials"],
    subject_types_supported: ["pairwise"],
    id_token_signing_alg_values_supported: ["RS256"],
    claims_supported: claims,
    [platformClaim]: {
      product_family_code: productName.toLowerCase(),
      version: "1.0",
      messages_supported: [
        { type: ltiMessageTypes.link, placements: [navigationPlacement] },
        { type: ltiMessageTypes.picking },
        { type: ltiMessageTypes.review },
      ],
      variables: [
        "User.id",
        "Context.id",
        "Context.title",
        "Context.label",
        "ResourceLink.id",
        "ResourceLink.title",
      ],
    },
  };
}

const Registration = z.object({
  application_type: z.literal("web"),
  client_name: z.string(),
  initiate_login_uri: z.string(),
  redirect_uris: z.array(z.string()).min(1).max(20),
  jwks_uri: z.string(),
  token_endpoint_auth_method: z.literal("private_key_jwt"),
  scope: z.string().max(5000).optional(),
  [toolClaim]: z.object({
    target_link_uri: z.string().optional(),
    custom_parameters: z.record(z.string(), z.string()).optional(),
    claims: z.array(z.string()).max(100).optional(),
    messages: z
      .array(
        z.object({
          type: z.string(),
          target_link_uri: z.string().optional(),
          placements: z.array(z.string()).max(100).optional(),
        }),
      )
      .max(100)
      .optional(),
  }),
});

/**
 * Registers the tool for all of the university, or of the platform, in the name of the invitation's creator. Without
 * names and email addresses of people: an administrator allows them. 401 for a token that was used, is over an hour
 * old, or whose creator lost the right or signed out everywhere. 422 for metadata that LTI does not allow.
 */
export async function registerTool(
  parts: Parts & { db: Db },
  token: string,
  metadata: unknown,
): Promise<object> {
  const invitation = await unsealToken<Invitation>(parts, purpose, token);
  const maker = invitation && (await findActiveActor(parts.db, invitation.maker));
  if (!maker || !canManageTools(maker, invitation.university_id)) throw unauthorized();
  const data = parseToolBody(Registration, metadata);
  const input = toToolCreate(data);
  ensureHttpsAddresses(parts.config, input);
  if (!(await tryClaimNameForHour(parts, `registration of an LTI tool ${invitation.jti}`)))
    throw unauthorized();
  const tool = await insertTool(parts.db, maker.id, invitation.university_id, input);
  return registered(tool, data);
}

function toToolCreate(given: z.output<typeof Registration>): z.output<typeof LtiToolCreate> {
  const { messages = [], target_link_uri, custom_parameters = {} } = given[toolClaim];
  const launch_url = target_link_uri ?? given.redirect_uris[0];
  const picking = messages.find(({ type }) => type === ltiMessageTypes.picking);
  const { data, error } = LtiToolCreate.safeParse({
    name: given.client_name,
    login_url: given.initiate_login_uri,
    launch_url,
    deep_linking_url: picking ? (picking.target_link_uri ?? launch_url) : null,
    redirect_uris: given.redirect_uris,
    jwks_url: given.jwks_uri,
    in_navigation: messages.some(
      ({ type, placements }) => type === ltiMessageTypes.link && placements?.includes(navigationPlacement),
    ),
    custom_parameters,
  });
  if (!data) throw invalidField([], error.issues[0]?.message ?? "Input is invalid");
  return data;
}

const registered = (tool: LtiTool, given: z.output<typeof Registration>): object => ({
  ...given,
  client_id: tool.client_id,
  response_types: ["id_token"],
  grant_types: ["implicit", "client_credentials"],
  scope: scopesGrantedToTools.filter((scope) => given.scope?.split(" ").includes(scope)).join(" "),
  [toolClaim]: { ...given[toolClaim], deployment_id: tool.deployment_ids[0] },
});
