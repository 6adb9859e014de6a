import { errorCodeHeader } from "../../../lib/error-codes.ts";
import type { HandlerInput } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import type { ToolAddresses } from "../../../lib/integrations/lti/launch.ts";
import type { LaunchState } from "../../../lib/integrations/lti/launch-state.ts";
import { refusalPage } from "../../../lib/integrations/lti/pages.ts";
import { LtiRefusal } from "../../../lib/integrations/lti/refusals.ts";
import { currentRequest } from "../../../lib/platform/async/request-context.ts";
import type { HtmlPageWithPolicy } from "../../../lib/platform/text/html-page.ts";

/** A request that is answered by a page, in a frame. */
export type LtiPageRequest = Pick<HandlerInput, "http"> & {
  deps: Pick<HandlerInput["deps"], "config" | "now" | "metrics">;
};

/** A request of an LMS, or of a page in its frame, to a university's tool. */
export type LtiToolRequest = LtiPageRequest & { params: { university_id: number } };

/** Errors are pages too, since they appear in the LMS's frame. */
export async function workOrLaunchErrorPage(
  call: LtiPageRequest,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LtiRefusal) return countedLaunchErrorPage(call, error);
    throw error;
  }
}

/** Where a launch starts again, if its state has enough data. */
export const restartUrl = (call: LtiToolRequest, { login }: LaunchState): string | undefined =>
  login && `${ltiToolUrls(call).root}/login?${new URLSearchParams(login)}`;

/** The error page of a launch, which is counted. `again` opens a new launch. */
export function countedLaunchErrorPage(call: LtiPageRequest, refusal: LtiRefusal, again?: string): Response {
  call.deps.metrics.launchEnded(refusal.reason);
  const requestId = currentRequest()?.request_id;
  const page = htmlPageResponse(
    call,
    refusalPage({ words: refusal.message, requestId, again }),
    refusal.status,
  );
  page.headers.set(errorCodeHeader, refusal.code);
  return page;
}

export const htmlPageResponse = (
  { http }: LtiPageRequest,
  { html, policy }: HtmlPageWithPolicy,
  status = 200,
): Response =>
  http.html(html, status as 200, { "Content-Security-Policy": policy, "Cache-Control": "no-store" });

export const webAppUrl = ({ deps, http }: LtiToolRequest): string => `${publicUrl(http, deps.config)}/app`;

/** The tool's URLs for a university, as registered in the LMS. */
export function ltiToolUrls({ deps, http, params }: LtiToolRequest): ToolAddresses {
  const service = publicUrl(http, deps.config);
  const root = `${service}/lti/${params.university_id}`;
  return { root, launch: `${root}/launch`, jwks: `${service}/lti/jwks` };
}
