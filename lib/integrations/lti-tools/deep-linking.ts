import { sql } from "drizzle-orm";
import type { JWTPayload } from "jose";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { unsealToken } from "../../identity/auth/sealing.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { LtiRefusal } from "../lti/refusals.ts";
import { tryClaimNameForHour } from "./access-tokens.ts";
import type { ToolDeepLinkingRequest } from "./id-token.ts";
import { SubmissionReview, toStoredSubmissionReview } from "./submission-review.ts";
import { InvalidToolJwt, ToolKeys, verifyToolJwt } from "./tool-jwt.ts";

type Parts = Pick<Deps, "config" | "now"> & { db: Db };

const ContentItem = z.object({
  type: z.string(),
  url: z.string().max(2000).optional(),
  title: z.string().max(2000).optional(),
  text: z.string().max(20_000).optional(),
  custom: z.record(z.string(), z.string()).optional(),
  lineItem: z
    .object({
      scoreMaximum: z.number().min(0).max(9999.99),
      resourceId: z.string().max(255).optional(),
      tag: z.string().max(255).optional(),
      submissionReview: SubmissionReview.nullish(),
    })
    .optional(),
});

const dl = "https://purl.imsglobal.org/spec/lti-dl/claim/";
const lti = "https://purl.imsglobal.org/spec/lti/claim/";

const Response = z.object({
  [`${lti}message_type`]: z.literal("LtiDeepLinkingResponse"),
  [`${lti}version`]: z.literal("1.3.0"),
  [`${lti}deployment_id`]: z.string(),
  [`${dl}data`]: z.string(),
  [`${dl}content_items`]: z.array(ContentItem).max(100).optional(),
});

/** An external tool item, as the content API takes it. */
export type LinkedItem = { title: string; description: string | null; data_json: Record<string, unknown> };

/**
 * The chosen items of a signed response to one request of this service, once. Only links of LTI are kept. Throws
 * `LtiRefusal`.
 */
export async function consumeDeepLinkingResponse(
  parts: Parts,
  jwt: string,
  service: string,
): Promise<LinkedItem[]> {
  const request = await requestOf(parts, jwt);
  if (!request) throw new LtiRefusal("tool_links");
  const [tool] = await rowsOf(
    parts.db,
    ToolKeys.extend({ name: z.string() }),
    sql`select name, jwks_url, public_jwks from lti_tools
        where id = ${request.tool_id} and client_id = ${request.client_id}`,
  );
  if (!tool) throw new LtiRefusal("tool_gone");
  const { payload } = await verifyToolJwt(parts, tool, jwt, {
    issuer: request.client_id,
    audience: [service],
    uniqueBy: "nonce",
  }).catch((error: unknown) => {
    throw error instanceof InvalidToolJwt ? new LtiRefusal("tool_links", error) : error;
  });
  const { data } = Response.safeParse(payload);
  if (!data || data[`${lti}deployment_id`] !== request.deployment_id) throw new LtiRefusal("tool_links");
  if (!(await tryClaimNameForHour(parts, `links of an LTI tool ${request.jti}`)))
    throw new LtiRefusal("tool_links");
  return (data[`${dl}content_items`] ?? [])
    .filter(({ type }) => type === "ltiResourceLink")
    .map((item) => toLinkedItem(item, request.tool_id, tool.name));
}

/** The request that the unverified response names; sealed, so it is ours. */
function requestOf(parts: Parts, jwt: string): Promise<ToolDeepLinkingRequest | undefined> | undefined {
  try {
    const payload = JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString()) as JWTPayload;
    const data = payload[`${dl}data`];
    return typeof data === "string"
      ? unsealToken<ToolDeepLinkingRequest>(parts, "links of a tool of LTI", data)
      : undefined;
  } catch {
    return undefined;
  }
}

const toLinkedItem = (
  { url, title, text, custom, lineItem }: z.output<typeof ContentItem>,
  lti_tool_id: number,
  toolName: string,
): LinkedItem => ({
  title: (title?.trim() || toolName).slice(0, 255),
  description: text?.trim() || null,
  data_json: {
    lti_tool_id,
    ...(url && { url }),
    ...(custom && { custom }),
    ...(lineItem && { max_points: lineItem.scoreMaximum }),
    ...toStoredSubmissionReview(lineItem?.submissionReview),
    ...(lineItem?.resourceId && { resource_id: lineItem.resourceId }),
    ...(lineItem?.tag && { tag: lineItem.tag }),
  },
});
