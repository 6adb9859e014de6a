import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { badRequest } from "../../errors.ts";
import { sealToken, unsealToken } from "../../identity/auth/sealing.ts";
import { allowedFrameOrigins, type KnownPlatform, originOrEmpty } from "./known-platform.ts";
import { ltiMessageTypes, type ParsedLaunchClaims } from "./launch-claims.ts";
import { LtiRefusal } from "./refusals.ts";

/*
 * LTI Deep Linking 2.0: an LMS requests links and receives them signed at its own address. Only the fact of
 * an answer is stored; the launch page carries the sealed request.
 */

type Parts = Pick<Deps, "config" | "now">;

type AskedLinks = {
  return_url: string;
  accept_multiple: boolean;
  accept_line_item: boolean;
  /** Opaque data of the LMS, returned unchanged. */
  data?: unknown;
};

export type DeepLinkingRequest = AskedLinks & {
  /** Unique for each request. */
  id: string;
  platform_id: number;
  university_id: number;
  deployment_id: string;
  context_id: string;
  subject: string;
};

export type EncryptedLinkingRequest = { ticket: string; accept_multiple: boolean };

/** The LMS's return address, signed content, and origins that may frame the posting page. */
export type SignedDeepLinkingResponse = { return_url: string; jwt: string; frame_origins: string[] };

/** Of `data` as JSON: the browser carries it. */
const maxDeepLinkingDataCharacters = 10_000;

/** In seconds, to pick links, and to deliver the signed result. */
const lifetimes = { request: 3600, links: 300 } as const;

const Settings = z.object({
  deep_link_return_url: z.string().max(2000).optional().catch(undefined),
  accept_types: z.array(z.unknown()).max(100).catch([]),
  accept_multiple: z.boolean().optional().catch(undefined),
  accept_lineitem: z.boolean().optional().catch(undefined),
  data: z.json().optional(),
});

/** Undefined for launches other than deep linking. Throws `LtiRefusal`. */
export function parseDeepLinkingRequest(
  { config }: Pick<Parts, "config">,
  platform: KnownPlatform,
  claims: Record<string, unknown>,
): AskedLinks | undefined {
  if (claims["message_type"] !== ltiMessageTypes.picking) return undefined;
  const { data: settings } = Settings.safeParse(claims["deep_linking_settings"]);
  if (!settings || (JSON.stringify(settings.data) ?? "").length > maxDeepLinkingDataCharacters)
    throw new LtiRefusal("claims");
  if (!settings.accept_types.includes("ltiResourceLink")) throw new LtiRefusal("accept_types");
  return {
    return_url: ownReturnAddress(config, platform, settings.deep_link_return_url),
    accept_multiple: settings.accept_multiple ?? false,
    // A platform that omits it decides itself about line items.
    accept_line_item: settings.accept_lineitem ?? true,
    data: settings.data,
  };
}

/** On the platform's own origin; otherwise the signed answer could go to anyone. */
function ownReturnAddress(
  { ENVIRONMENT }: Parts["config"],
  platform: KnownPlatform,
  address: string | undefined,
): string {
  const own = [
    ...allowedFrameOrigins(platform),
    ...[platform.issuer, platform.auth_login_url].map(originOrEmpty),
  ];
  if (!address || !URL.canParse(address)) throw new LtiRefusal("return_address");
  const { protocol, origin, username, password, href } = new URL(address);
  const isSecure = protocol === "https:" || (protocol === "http:" && ENVIRONMENT === "development");
  if (!isSecure || username || password || !own.includes(origin)) throw new LtiRefusal("return_address");
  return href;
}

export async function encryptDeepLinkingRequest(
  parts: Parts,
  platform: KnownPlatform,
  { deployment_id, subject, context }: Omit<ParsedLaunchClaims, "role">,
  asked: AskedLinks,
): Promise<EncryptedLinkingRequest> {
  const request: DeepLinkingRequest = {
    ...asked,
    id: randomUUID(),
    platform_id: platform.id,
    university_id: platform.university_id,
    deployment_id,
    context_id: context?.id ?? "",
    subject,
  };
  const ticket = await sealToken(parts, "request for links by a platform of LTI", lifetimes.request, request);
  return { ticket, accept_multiple: asked.accept_multiple };
}

/** 400 if the request expired, was changed or is not ours. */
export async function decryptDeepLinkingRequest(parts: Parts, ticket: string): Promise<DeepLinkingRequest> {
  const request = await unsealToken<DeepLinkingRequest>(
    parts,
    "request for links by a platform of LTI",
    ticket,
  );
  if (!request) throw badRequest("deep_linking_void");
  return request;
}

export const encryptSignedResponse = (parts: Parts, links: SignedDeepLinkingResponse): Promise<string> =>
  sealToken(parts, "links for a platform of LTI", lifetimes.links, links);

/** Throws if the links expired, were changed or are not ours. */
export async function decryptSignedResponse(
  parts: Parts,
  sealed: string,
): Promise<SignedDeepLinkingResponse> {
  const links = await unsealToken<SignedDeepLinkingResponse>(parts, "links for a platform of LTI", sealed);
  if (!links) throw new LtiRefusal("links_over");
  return links;
}
