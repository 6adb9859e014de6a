import { sql } from "drizzle-orm";
import type { JWTPayload } from "jose";
import * as z from "zod";
import type { Db, ReadDb } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import type { Deps } from "../deps.ts";
import { fingerprint } from "../text/fingerprint.ts";
import { verifyIdToken } from "./id-token.ts";
import { type KnownPlatform, platformOfLogin } from "./known-platform.ts";
import { type BegunLaunch, beginState, type LaunchState } from "./launch-state.ts";
import { LaunchRefusal } from "./refusals.ts";

/** Where the tool is reached: below `root` lie its pages; the platform answers to `launch`, and reads its keys at `jwks`. */
export type ToolAddresses = { root: string; launch: string; jwks: string };

type Parts = Pick<Deps, "config" | "now">;

const plain = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u);

/** What a platform begins a login with (IMS Security Framework 1.0, 5.1.1); what else it sends is not looked at. */
const Login = z.object({
  iss: plain(512),
  login_hint: plain(4000),
  target_link_uri: plain(2000),
  lti_message_hint: plain(8000).optional(),
  client_id: plain(255).optional(),
  lti_deployment_id: plain(255).optional(),
  lti_storage_target: z
    .string()
    .regex(/^[\w.-]{1,255}$/)
    .optional(),
});

export type BegunLogin = BegunLaunch & {
  platform: KnownPlatform;
  /** Where the browser goes on, at the platform. */
  address: string;
  storage_frame: string | undefined;
};

/**
 * Begins a login that a platform asked for. Nothing is stored: the state says all of it, and the browser keeps the key.
 * Throws a `LaunchRefusal`.
 */
export async function beginLogin(
  parts: Parts & { db: ReadDb },
  universityId: number,
  input: Record<string, string>,
  tool: ToolAddresses,
): Promise<BegunLogin> {
  const { data: login } = Login.safeParse(input);
  if (!login) throw new LaunchRefusal("bad_request");
  ensureOwnTarget(login.target_link_uri, tool);
  const platform = await platformOfLogin(parts.db, universityId, login.iss, login.client_id);
  const { lti_storage_target: storage_frame, ...again } = login;
  const begun = await beginState(parts, {
    university_id: universityId,
    platform_id: platform.id,
    storage_frame,
    login: definedOf(again),
  });
  const address = new URL(platform.auth_login_url);
  const asked = definedOf({
    scope: "openid",
    response_type: "id_token",
    response_mode: "form_post",
    prompt: "none",
    client_id: platform.client_id,
    redirect_uri: tool.launch,
    login_hint: login.login_hint,
    lti_message_hint: login.lti_message_hint,
    state: begun.state,
    nonce: begun.nonce,
  });
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  return { ...begun, platform, storage_frame, address: address.href };
}

const definedOf = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

function ensureOwnTarget(target: string, { root }: ToolAddresses): void {
  const isOwn = URL.canParse(target) && new URL(target).href.startsWith(`${root}/`);
  if (!isOwn) throw new LaunchRefusal("target");
}

const claimPrefix = "https://purl.imsglobal.org/spec/lti/claim/";

/** The claims of LTI by their short names, beside who is launched. */
const claimsOf = ({ sub, ...payload }: JWTPayload): Record<string, unknown> =>
  Object.fromEntries([
    ["sub", sub],
    ...Object.entries(payload).flatMap(([name, value]) =>
      name.startsWith(claimPrefix) ? [[name.slice(claimPrefix.length), value]] : [],
    ),
  ]);

const id = z.string().min(1).max(255);

/** The claims of a launch of a resource link (LTI Core 1.3, 5.3); roles and context may be missing. */
const ResourceLinkClaims = z.object({
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  deployment_id: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  target_link_uri: z.string().max(2000),
  resource_link: z.object({ id }),
  context: z.object({ id, title: z.string().optional(), label: z.string().optional() }).optional(),
});

/** A launch that is in order: from which course of the platform, as that calls it, and by which link. */
export type Launch = {
  platform: KnownPlatform;
  deployment_id: string;
  resource_link_id: string;
  context: { id: string; title: string } | undefined;
};

const Taken = z.object({ outcome: z.enum(["accepted", "waiting", "replayed", "gone"]) });

/**
 * Takes a launch of a resource link: what the platform signed for this state, once. Throws a `LaunchRefusal`, also while
 * nobody has admitted the deployment, which is noted by that.
 */
export async function takeLaunch(
  parts: Parts & { db: Db },
  platform: KnownPlatform,
  { nonce }: LaunchState,
  idToken: string,
  tool: ToolAddresses,
): Promise<Launch> {
  const launch = readLaunch(platform, await verifyIdToken(parts, platform, idToken, nonce), tool);
  const [taken] = await rowsOf(
    parts.db,
    Taken,
    sql`select take_lti_launch(${platform.id}, ${launch.deployment_id}, ${fingerprint(nonce)},
                               ${parts.now().toISOString()}) as outcome`,
  );
  switch (taken?.outcome) {
    case "accepted":
      return launch;
    case "waiting":
      throw new LaunchRefusal("waiting");
    case "replayed":
      throw new LaunchRefusal("replayed");
    default:
      throw new LaunchRefusal("unknown_platform");
  }
}

function readLaunch(platform: KnownPlatform, payload: JWTPayload, tool: ToolAddresses): Launch {
  const claims = claimsOf(payload);
  if (claims["version"] !== "1.3.0") throw new LaunchRefusal("version");
  if (claims["message_type"] !== "LtiResourceLinkRequest") throw new LaunchRefusal("message");
  const { data } = ResourceLinkClaims.safeParse(claims);
  if (!data) throw new LaunchRefusal("claims");
  ensureOwnTarget(data.target_link_uri, tool);
  const { deployment_id, resource_link, context } = data;
  return {
    platform,
    deployment_id,
    resource_link_id: resource_link.id,
    context: context && { id: context.id, title: context.title || context.label || context.id },
  };
}
