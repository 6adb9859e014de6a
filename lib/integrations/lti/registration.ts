import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import * as z from "zod";
import { type LtiPlatform, LtiPlatformCreate } from "../../../schema/api/integrations/lti.ts";
import type { Deps } from "../../deps.ts";
import { HttpError, ValidationError } from "../../errors.ts";
import { type Actor, findActiveActor, toTokenBearer } from "../../identity/auth/actor.ts";
import { sealToken, unsealToken } from "../../identity/auth/sealing.ts";
import { can } from "../../identity/rbac/policy.ts";
import { ensureAllowedInUniversity, getUniversity } from "../../identity/universities/universities.ts";
import { fairLimits } from "../../platform/async/fair-limits.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { TokenBearer } from "../../platform/secrets/tokens.ts";
import { admitFirstDeployment } from "./deployments.ts";
import type { ToolAddresses } from "./launch.ts";
import { ltiMessageTypes } from "./launch-claims.ts";
import { choosePlatformFetch } from "./platform-fetch.ts";
import { ensureHttpsAddresses, insertPlatform } from "./platforms.ts";
import { LtiRefusal } from "./refusals.ts";
import { scopesRequestedFromPlatforms } from "./service-scopes.ts";

/*
 * LTI Dynamic Registration 1.0: an administrator creates a link, and the LMS opens it with its
 * configuration's address. The bearer may register one platform, once, within an hour.
 */

/** In seconds. */
const lifetime = 3600;

const timeoutMs = 5000;

const purpose = "registration of a platform of LTI by its creator";

type Parts = Pick<Deps, "config" | "now">;

type Link = { university_id: number; maker: TokenBearer; jti: string };

/** 404 for an unknown university, 403 unless administrator. */
export async function createPlatformRegistrationKey(
  parts: Parts & { db: ReadDb },
  actor: Actor,
  universityId: number,
): Promise<{ key: string; expires_at: string }> {
  await ensureAllowedInUniversity(parts.db, actor, "lti-platform:manage", universityId);
  await getUniversity(parts.db, universityId);
  const link: Link = { university_id: universityId, maker: toTokenBearer(actor), jti: randomUUID() };
  const expires_at = new Date(parts.now().getTime() + lifetime * 1000).toISOString();
  return { key: await sealToken(parts, purpose, lifetime, link), expires_at };
}

/** The university's link has not expired, and its creator may still register; it may be used already. */
export async function isRegistrationOpen(
  parts: Parts & { db: ReadDb },
  universityId: number,
  key: string,
): Promise<boolean> {
  return (await linkOf(parts, universityId, key)) !== undefined;
}

async function linkOf(
  parts: Parts & { db: ReadDb },
  universityId: number,
  key: string,
): Promise<Link | undefined> {
  const link = await unsealToken<Link>(parts, purpose, key);
  if (link?.university_id !== universityId) return undefined;
  const maker = await findActiveActor(parts.db, link.maker);
  return maker && can(maker.roles, "lti-platform:manage", { university_id: universityId }) ? link : undefined;
}

const address = z.string().max(1000);

/** OpenID Connect Discovery with LTI's additions. */
const Described = z.object({
  issuer: z.string(),
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  registration_endpoint: z.url(),
  "https://purl.imsglobal.org/spec/lti-platform-configuration": z
    .object({ product_family_code: z.string().max(100).optional() })
    .optional(),
});

const Registered = z.object({
  client_id: z.union([z.string(), z.int()]).transform(String),
  "https://purl.imsglobal.org/spec/lti-tool-configuration": z
    .object({ deployment_id: z.union([z.string(), z.int()]).transform(String).optional() })
    .optional(),
});

export type RegistrationRequest = {
  key: string;
  openid_configuration: string;
  registration_token?: string | undefined;
};

/**
 * Registers tool and platform with each other, in the name of the link's creator; the later of two concurrent
 * uses is rejected. Admits a deployment that the platform names. Throws `LtiRefusal`.
 */
export async function registerPlatform(
  parts: Parts & { db: Db },
  universityId: number,
  { key, openid_configuration, registration_token }: RegistrationRequest,
  tool: ToolAddresses,
): Promise<LtiPlatform> {
  const link = await linkOf(parts, universityId, key);
  if (!link || !(await isFirst(parts, link))) throw new LtiRefusal("registration_over");
  const described = await ask(parts, openid_configuration, Described);
  const registered = await ask(parts, described.registration_endpoint, Registered, {
    token: registration_token,
    body: toolDescription(parts, tool),
  });
  const family = described["https://purl.imsglobal.org/spec/lti-platform-configuration"]?.product_family_code;
  const { success, data } = LtiPlatformCreate.safeParse({
    name: `${family ?? "LMS"} ${new URL(openid_configuration).hostname}`,
    issuer: described.issuer,
    client_id: registered.client_id,
    auth_login_url: described.authorization_endpoint,
    auth_token_url: described.token_endpoint,
    jwks_url: described.jwks_uri,
  });
  if (!success) throw new LtiRefusal("registration_failed");
  const platform = await insert(parts, link, data);
  const { deployment_id } = registered["https://purl.imsglobal.org/spec/lti-tool-configuration"] ?? {};
  if (deployment_id && /^[\x20-\x7e]{1,255}$/.test(deployment_id))
    await admitFirstDeployment(parts.db, link.maker.id, platform, deployment_id);
  return platform;
}

const Taken = z.object({ is_first: z.boolean() });

async function isFirst({ db, now }: Pick<Deps, "db" | "now">, { jti }: Link): Promise<boolean> {
  const name = `registration of an LTI platform ${jti}`;
  const [taken] = await rowsOf(
    db,
    Taken,
    sql`select claim_single_use_key_for_hour(${name}, ${now().toISOString()}) as is_first`,
  );
  return taken?.is_first ?? false;
}

async function insert({ db, config }: Parts & { db: Db }, link: Link, data: LtiPlatformCreate) {
  try {
    ensureHttpsAddresses(config, data);
    return await insertPlatform(db, link.maker.id, link.university_id, data);
  } catch (error) {
    if (error instanceof ValidationError) throw new LtiRefusal("registration_failed", error);
    if (error instanceof HttpError && error.status === 400) throw new LtiRefusal("registered_already", error);
    throw error;
  }
}

type Sent = { token: string | undefined; body: object };

/** Accepts only JSON of that shape; rejects everything else, including redirects and private addresses. */
async function ask<S extends z.ZodType>(
  { config }: Parts,
  where: string,
  schema: S,
  sent?: Sent,
): Promise<z.output<S>> {
  try {
    const send = () =>
      choosePlatformFetch(config)(where, {
        method: sent ? "POST" : "GET",
        headers: {
          accept: "application/json",
          ...(sent && { "content-type": "application/json" }),
          ...(sent?.token && { authorization: `Bearer ${sent.token}` }),
        },
        ...(sent && { body: JSON.stringify(sent.body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
    const answer = await fairLimits.outbound.run(send);
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    return schema.parse(await answer.json());
  } catch (error) {
    throw new LtiRefusal("registration_failed", error);
  }
}

function toolDescription({ config }: Parts, { root, launch, jwks }: ToolAddresses): object {
  return {
    application_type: "web",
    client_name: config.APP_NAME,
    grant_types: ["implicit", "client_credentials"],
    response_types: ["id_token"],
    initiate_login_uri: `${root}/login`,
    redirect_uris: [launch],
    jwks_uri: jwks,
    token_endpoint_auth_method: "private_key_jwt",
    scope: scopesRequestedFromPlatforms.join(" "),
    "https://purl.imsglobal.org/spec/lti-tool-configuration": {
      domain: new URL(root).host,
      target_link_uri: launch,
      claims: ["iss", "sub"],
      messages: [{ type: ltiMessageTypes.link }, { type: ltiMessageTypes.picking, target_link_uri: launch }],
    },
  };
}
