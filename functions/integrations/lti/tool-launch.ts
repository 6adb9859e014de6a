import { endpoint, type HandlerInput } from "../../../lib/http/endpoint.ts";
import { parseFormBody } from "../../../lib/http/form.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { setLaunchCookie, takeLaunchCookie } from "../../../lib/identity/auth/cookies.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { matchesBrowserKeyHash } from "../../../lib/integrations/lti/browser-key.ts";
import { postIdTokenPage } from "../../../lib/integrations/lti/pages.ts";
import { LtiRefusal } from "../../../lib/integrations/lti/refusals.ts";
import { parseAuthorizationRequest } from "../../../lib/integrations/lti-tools/authorization.ts";
import { createIdToken } from "../../../lib/integrations/lti-tools/id-token.ts";
import {
  bindTicketToBrowser,
  decryptMessageHint,
  toolLaunchTicketLifetimeSeconds,
} from "../../../lib/integrations/lti-tools/launch-ticket.ts";
import { ltiPlatformEndpoints } from "../../../lib/integrations/lti-tools/tool-addresses.ts";
import { htmlPageResponse, type LtiPageRequest, workOrLaunchErrorPage } from "./answers.ts";

/*
 * Launch of a university's tool (IMS Security Framework 1.0, 5.1.1): `start` binds the permitted launch to the
 * browser and leads to the tool, and `authorize` posts the id token to it.
 */

const aPage = {
  status: 200,
  schema: undefined,
  description: "A page that posts the launch to the tool",
} as const;

export const startLtiToolLaunch = endpoint(
  {
    id: "startLtiToolLaunch",
    method: "get",
    path: "/tools/start",
    summary: "Start a permitted launch of a tool",
    ...anyone,
    answer: { status: 302, schema: undefined, description: "Redirect to the tool's login initiation" },
    fails: [400],
  },
  (call) =>
    workOrLaunchErrorPage(call, async () => {
      const service = publicUrl(call.http, call.deps.config);
      const opened = await bindTicketToBrowser(
        call.deps,
        new URL(call.http.req.url).searchParams.get("launch") ?? "",
      );
      if (!opened) throw new LtiRefusal("tool_launch_over");
      const { ticket, hint, name, key } = opened;
      setLaunchCookie(call.http, { name, path: cookiePath(service) }, key, toolLaunchTicketLifetimeSeconds);
      const address = new URL(ticket.login_url);
      const asked = {
        iss: ltiPlatformEndpoints(service).issuer,
        client_id: ticket.client_id,
        login_hint: ticket.subject,
        target_link_uri: ticket.target,
        lti_message_hint: hint,
        lti_deployment_id: ticket.deployment_id,
        ...(ticket.is_framed && { lti_storage_target: "_parent" }),
      };
      for (const [field, value] of Object.entries(asked)) address.searchParams.set(field, value);
      return call.http.redirect(address.href);
    }),
);

const cookiePath = (service: string): string => new URL(ltiPlatformEndpoints(service).authorize).pathname;

export const authorizeLtiTool = endpoint(
  {
    id: "authorizeLtiTool",
    method: "get",
    path: "/tools/authorize",
    summary: "Answer a tool's authorization request",
    ...anyone,
    shares: "nothing",
    answer: aPage,
    fails: [400, 403, 404],
  },
  (call) => answerAuthorization(call, Object.fromEntries(new URL(call.http.req.url).searchParams)),
);

export const authorizeLtiToolByForm = endpoint(
  {
    id: "authorizeLtiToolByForm",
    method: "post",
    path: "/tools/authorize",
    summary: "Answer a tool's authorization request by form",
    ...anyone,
    shares: "nothing",
    answer: aPage,
    fails: [400, 403, 404],
  },
  async (call) => answerAuthorization(call, await parseFormBody(call)),
);

type AuthorizationCall = LtiPageRequest & { deps: { db: HandlerInput["deps"]["reads"] } };

const answerAuthorization = (call: AuthorizationCall, sent: Record<string, string>): Promise<Response> =>
  workOrLaunchErrorPage(call, async () => {
    const { deps, http } = call;
    const service = publicUrl(http, deps.config);
    const request = parseAuthorizationRequest(sent);
    const ticket = await decryptMessageHint(deps, request.lti_message_hint);
    if (!ticket) throw new LtiRefusal("tool_launch_over");
    if (request.client_id !== ticket.client_id || request.login_hint !== ticket.subject)
      throw new LtiRefusal("tool_request");
    const key = takeLaunchCookie(http, { name: ticket.name, path: cookiePath(service) });
    if (!key || !matchesBrowserKeyHash(ticket, key)) throw new LtiRefusal("tool_other_browser");
    const { id_token, redirect_uris } = await createIdToken(deps, ticket, request, service);
    deps.metrics.launchEnded("tool_opened");
    const form = { id_token, ...(request.state !== undefined && { state: request.state }) };
    return htmlPageResponse(call, postIdTokenPage(request.redirect_uri, form, redirect_uris));
  });
