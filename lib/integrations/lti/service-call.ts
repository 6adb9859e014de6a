import { parseRetryAfterSeconds } from "../../platform/text/retry-after.ts";
import {
  clearCachedAccessToken,
  getPlatformAccessToken,
  type PlatformServiceDeps,
  type PlatformTokenEndpoint,
} from "./access-tokens.ts";
import { ServiceFailure } from "./service-failure.ts";
import { fetchPlatformResponse, isHtmlResponse } from "./service-fetch.ts";

export type ServiceRequest = {
  address: string;
  scope: string;
  method?: "GET" | "POST" | "PUT";
  accept: string;
  contentType?: string;
  body?: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
};

/**
 * Calls with a token, and again with a new one if the first is rejected. Throws `ServiceFailure` for every
 * failure, including redirects, HTML pages, private addresses and timeouts.
 */
export async function callPlatformService(
  parts: PlatformServiceDeps,
  platform: PlatformTokenEndpoint,
  request: ServiceRequest,
): Promise<Response> {
  const answer = await ask(parts, platform, request);
  if (answer.status !== 401) return ensureDone(answer);
  clearCachedAccessToken(platform, request.scope);
  return ensureDone(await ask(parts, platform, request));
}

async function ask(parts: PlatformServiceDeps, platform: PlatformTokenEndpoint, request: ServiceRequest) {
  const token = await getPlatformAccessToken(parts, platform, request.scope);
  return fetchPlatformResponse(parts, request.address, {
    method: request.method ?? "GET",
    headers: {
      accept: request.accept,
      authorization: `Bearer ${token}`,
      ...(request.contentType && { "content-type": request.contentType }),
    },
    ...(request.body !== undefined && { body: request.body }),
    signal: request.signal,
    timeoutMs: request.timeoutMs,
  });
}

/** The response, if it succeeded and is not HTML. */
function ensureDone(answer: Response): Response {
  const { status, headers } = answer;
  if (answer.ok) {
    if (!isHtmlResponse(answer)) return answer;
    throw new ServiceFailure("it returned a web page", "later", { status });
  }
  const retryAfter = parseRetryAfterSeconds(headers.get("retry-after"));
  if (status === 429 || status >= 500)
    throw new ServiceFailure(`it answered ${status}`, "later", {
      status,
      isAway: status === 429,
      retryAfter,
    });
  throw new ServiceFailure(`it answered ${status}`, "refused", { status });
}
