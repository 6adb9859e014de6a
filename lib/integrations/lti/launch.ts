import { randomBytes } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import {
  type EncryptedLinkingRequest,
  encryptDeepLinkingRequest,
  parseDeepLinkingRequest,
} from "./deep-linking-request.ts";
import { verifyIdToken } from "./id-token.ts";
import { findPlatformForLogin, type KnownPlatform } from "./known-platform.ts";
import { type ParsedLaunchClaims, parseLaunchClaims, shortenLtiClaims } from "./launch-claims.ts";
import { createLaunchState, type IssuedLaunchState, type LaunchState } from "./launch-state.ts";
import {
  decryptLaunchTicket,
  encryptLaunchTicket,
  type LaunchTicket,
  type TicketAndKey,
} from "./launch-ticket.ts";
import { LtiRefusal } from "./refusals.ts";

export type ToolAddresses = { root: string; launch: string; jwks: string };

type Parts = Pick<Deps, "config" | "now">;

const plain = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u);

/** A platform's login request (IMS Security Framework 1.0, 5.1.1); other fields are ignored. */
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

export type PlatformLoginRedirect = IssuedLaunchState & {
  platform: KnownPlatform;
  /** At the platform, where the browser continues. */
  address: string;
  storage_frame: string | undefined;
};

/** Nothing is stored: the state has everything, the browser keeps the key. Throws a `LtiRefusal`. */
export async function beginLogin(
  parts: Parts & { db: ReadDb },
  universityId: number,
  input: Record<string, string>,
  tool: ToolAddresses,
): Promise<PlatformLoginRedirect> {
  const { data: login } = Login.safeParse(input);
  if (!login) throw new LtiRefusal("bad_request");
  ensureOwnTarget(login.target_link_uri, tool);
  const platform = await findPlatformForLogin(parts.db, universityId, login.iss, login.client_id);
  const { lti_storage_target: storage_frame, ...again } = login;
  const begun = await createLaunchState(parts, {
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
  if (!isOwn) throw new LtiRefusal("target");
}

const outcomes = [
  "accepted",
  ...["waiting", "replayed", "gone"],
  ...["no_context", "unbound", "no_role"],
  ...["sign_in", "inactive", "dropped", "inactive_person", "inactive_university"],
] as const;

const Launched = z.object({ outcome: z.enum(outcomes) });

export type ProcessedLaunch =
  | { kind: "accepted"; code: string }
  /** An unbound course of the LMS; its teachers may bind it, by the ticket. */
  | { kind: "unbound"; course: string; own: TicketAndKey | undefined }
  /** A person who may have an account must sign in to it once, by the ticket. */
  | { kind: "sign_in"; own: TicketAndKey };

/**
 * Takes a launch once per state. The person is linked and has the launch's role from then on. `challenge` is
 * the hash of the page's key, which alone exchanges the code. Throws a `LtiRefusal`, also while the
 * deployment awaits approval.
 */
export async function processLaunch(
  parts: Parts & { db: Db },
  platform: KnownPlatform,
  { nonce }: LaunchState,
  sent: { id_token: string; challenge: string | undefined },
  tool: ToolAddresses,
): Promise<ProcessedLaunch> {
  const claims = shortenLtiClaims(await verifyIdToken(parts, platform, sent.id_token, nonce));
  const { told, target } = parseLaunchClaims(platform, claims);
  ensureOwnTarget(target, tool);
  const deep_linking = await requestForLinks(parts, platform, claims, told);
  const code = randomBytes(32).toString("base64url");
  const [launched] = await rowsOf(
    parts.db,
    Launched,
    sql`select process_lti_launch(${platform.id}, ${JSON.stringify({ ...told, deep_linking })}::jsonb, ${fingerprint(nonce)}, ${fingerprint(code)},
                          ${sent.challenge ?? null}, ${requestAuditJson()}::jsonb) as outcome`,
  );
  if (!launched) throw new LtiRefusal("unknown_platform");
  switch (launched.outcome) {
    case "accepted":
      return { kind: "accepted", code };
    case "unbound":
      return unbound(parts, platform, told);
    case "sign_in":
      return { kind: "sign_in", own: await encryptLaunchTicket(parts, ticketOf(platform, told)) };
    case "gone":
      throw new LtiRefusal("unknown_platform");
    default:
      throw new LtiRefusal(launched.outcome);
  }
}

async function requestForLinks(
  parts: Parts,
  platform: KnownPlatform,
  claims: Record<string, unknown>,
  { role, ...told }: ParsedLaunchClaims,
): Promise<EncryptedLinkingRequest | undefined> {
  const asked = parseDeepLinkingRequest(parts, platform, claims);
  if (!asked) return undefined;
  if (role === "student") throw new LtiRefusal("not_staff");
  return encryptDeepLinkingRequest(parts, platform, told, asked);
}

/** Only what its window needs: the ticket is long and part of an address. */
const ticketOf = (
  { id, university_id }: KnownPlatform,
  { deployment_id, subject, name, context }: ParsedLaunchClaims,
): Omit<LaunchTicket, "key_hash"> => ({
  platform_id: id,
  university_id,
  deployment_id,
  subject,
  name,
  context,
});

async function unbound(
  parts: Parts,
  platform: KnownPlatform,
  told: ParsedLaunchClaims,
): Promise<ProcessedLaunch> {
  const isStaff = told.role === "instructor" || told.role === "ta";
  const own = isStaff ? await encryptLaunchTicket(parts, ticketOf(platform, told)) : undefined;
  return { kind: "unbound", course: told.context?.title ?? "", own };
}

export async function countRefusedLaunch(db: Db, platformId: number, reason: string): Promise<void> {
  const request = sql`${requestAuditJson()}::jsonb`;
  await db.execute(sql`
    insert into lti_refused_launches as noted (platform_id, day, reason, launches, last_at, last_request_id)
    select one.id, (request_time(${request}) at time zone 'UTC')::date, ${reason}, 1, request_time(${request}), ${request} ->> 'id'
    from lti_platforms as one where one.id = ${platformId}
    on conflict (platform_id, day, reason) do update set
      launches = noted.launches + 1, last_at = greatest(noted.last_at, excluded.last_at),
      last_request_id = excluded.last_request_id`);
}

/** Throws a `LtiRefusal`. */
export async function createAccountFromLaunchTicket(
  parts: Parts & { db: Db },
  sealed: string,
  universityId: number,
): Promise<void> {
  const ticket = await decryptLaunchTicket(parts, sealed, universityId).catch(() => undefined);
  if (!ticket) throw new LtiRefusal("not_begun");
  const { platform_id, key_hash: _, ...told } = ticket;
  await parts.db.execute(createAndLinkLtiAccountQuery(platform_id, told, requestAuditJson()));
}

/** No row if the person, read behind their lock, is linked or gone. */
export const createAndLinkLtiAccountQuery = (
  platformId: number,
  told: { subject: string },
  facts: string,
): SQL => sql`
  with held as (
    select platform, met.id from lti_platforms as platform join lti_people as met on met.platform_id = platform.id
    where platform.id = ${platformId} and met.subject = ${told.subject} and met.user_id is null
    for key share of platform for update of met
  )
  select create_account_for_lti_person(platform, id, ${JSON.stringify(told)}::jsonb - 'email', ${facts}::jsonb) as person from held`;
