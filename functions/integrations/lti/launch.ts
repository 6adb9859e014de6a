import { endpoint, type HandlerInput } from "../../../lib/http/endpoint.ts";
import { parseFormBody } from "../../../lib/http/form.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { setLaunchCookie, setTicketCookie, takeLaunchCookie } from "../../../lib/identity/auth/cookies.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { matchesBrowserKeyHash } from "../../../lib/integrations/lti/browser-key.ts";
import {
  allowedFrameOrigins,
  findPlatformForLaunch,
  type KnownPlatform,
  originOrEmpty,
} from "../../../lib/integrations/lti/known-platform.ts";
import {
  beginLogin,
  countRefusedLaunch,
  createAccountFromLaunchTicket,
  processLaunch,
} from "../../../lib/integrations/lti/launch.ts";
import {
  decryptLaunchState,
  type LaunchState,
  launchStateLifetimeSeconds,
} from "../../../lib/integrations/lti/launch-state.ts";
import {
  launchTicketLifetimeSeconds,
  launchTicketName,
  openLaunchTicketWithKey,
  ticketScreens,
} from "../../../lib/integrations/lti/launch-ticket.ts";
import {
  accountMadePage,
  resendLaunchPage,
  signInPage,
  storeLaunchKeyPage,
  unboundCoursePage,
} from "../../../lib/integrations/lti/pages.ts";
import { LtiRefusal } from "../../../lib/integrations/lti/refusals.ts";
import type { HtmlPageWithPolicy } from "../../../lib/platform/text/html-page.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import {
  countedLaunchErrorPage,
  htmlPageResponse,
  type LtiToolRequest,
  ltiToolUrls,
  restartUrl,
  webAppUrl,
  workOrLaunchErrorPage,
} from "./answers.ts";

/*
 * LTI 1.3 launch: the LMS opens `login`, which redirects to the LMS, which posts the signed launch to
 * `launch`. Both return pages, since they run in the LMS's frame. All errors use one page.
 */

const params = pathIds("university_id");

const toThePlatform = {
  status: 302,
  schema: undefined,
  description: "Redirect to the LMS, or a page that leads there",
} as const;
const aPage = { status: 200, schema: undefined, description: "A page for the frame of the LMS" } as const;

export const beginLtiLogin = endpoint(
  {
    id: "beginLtiLogin",
    method: "get",
    path: "/{university_id}/login",
    summary: "Start an LTI launch",
    ...anyone,
    params,
    answer: toThePlatform,
    fails: [400, 404],
  },
  (call) => answerLogin(call, Object.fromEntries(new URL(call.http.req.url).searchParams)),
);

export const beginLtiLoginByForm = endpoint(
  {
    id: "beginLtiLoginByForm",
    method: "post",
    path: "/{university_id}/login",
    summary: "Start an LTI launch by form",
    ...anyone,
    shares: "nothing",
    params,
    answer: toThePlatform,
    fails: [400, 404],
  },
  async (call) => answerLogin(call, await parseFormBody(call)),
);

export const finishLtiLaunch = endpoint(
  {
    id: "finishLtiLaunch",
    method: "post",
    path: "/{university_id}/launch",
    summary: "Complete an LTI launch",
    ...anyone,
    shares: "outbound",
    params,
    answer: aPage,
    fails: [400, 403, 404],
  },
  (call) => workOrLaunchErrorPage(call, () => launchPage(call)),
);

export const makeLtiAccount = endpoint(
  {
    id: "makeLtiAccount",
    method: "post",
    path: "/{university_id}/account",
    summary: "Continue a launch with a new account",
    ...anyone,
    shares: "nothing",
    params,
    answer: aPage,
    fails: [400],
  },
  (call) =>
    workOrLaunchErrorPage(call, async () => {
      const { ticket = "" } = await parseFormBody(call);
      await createAccountFromLaunchTicket(call.deps, ticket, call.params.university_id);
      return htmlPageResponse(call, accountMadePage("your LMS"));
    }),
);

export const openLtiWindow = endpoint(
  {
    id: "openLtiWindow",
    method: "post",
    path: "/{university_id}/window",
    summary: "Open the window of a launch",
    ...anyone,
    shares: "nothing",
    params,
    answer: { ...toThePlatform, description: "Redirect to the application, in the browser that launched" },
    fails: [400, 403],
  },
  (call) => workOrLaunchErrorPage(call, () => openWindow(call)),
);

/** Only our own page may post the key: another site could post its own and so link the reader to itself. */
async function openWindow(call: LtiToolRequest & { deps: HandlerInput["deps"] }): Promise<Response> {
  const { deps, http, params } = call;
  const { ticket = "", key = "", ...sent } = await parseFormBody(call);
  const screen = ticketScreens.find((one) => one === sent["screen"]);
  if (!screen) throw new LtiRefusal("bad_request");
  if (!isSentByOwnPage(call)) throw new LtiRefusal("other_browser");
  const opened = await openLaunchTicketWithKey(deps, ticket, () => key, params.university_id).catch(
    () => undefined,
  );
  if (!opened) throw new LtiRefusal("not_begun");
  const path = new URL(publicUrl(http, deps.config)).pathname;
  setTicketCookie(http, { name: launchTicketName(opened), path }, key, launchTicketLifetimeSeconds);
  return http.redirect(`${webAppUrl(call)}#/lti/${screen}/${ticket}`, 303);
}

type LoginCall = LtiToolRequest & { deps: { db: HandlerInput["deps"]["reads"] } };

const answerLogin = (call: LoginCall, input: Record<string, string>): Promise<Response> =>
  workOrLaunchErrorPage(call, async () => {
    const { deps, http, params } = call;
    const tool = ltiToolUrls(call);
    const begun = await beginLogin(deps, params.university_id, input, tool);
    const { platform, name, key, address, storage_frame: frame } = begun;
    setLaunchCookie(http, { name, path: new URL(tool.launch).pathname }, key, launchStateLifetimeSeconds);
    if (!frame) return http.redirect(address);
    const stored = { frame, origin: originOrEmpty(platform.auth_login_url), name, key, address };
    return htmlPageResponse(call, storeLaunchKeyPage(stored, allowedFrameOrigins(platform)));
  });

async function launchPage(call: LtiToolRequest & { deps: HandlerInput["deps"] }): Promise<Response> {
  const { deps, http, params } = call;
  const sent = await parseFormBody(call);
  const state = sent["state"]
    ? await decryptLaunchState(deps, params.university_id, sent["state"])
    : undefined;
  if (!state) throw new LtiRefusal("not_begun");
  const platform = await findPlatformForLaunch(deps.db, params.university_id, state.platform_id);
  const cookie = { name: state.name, path: new URL(ltiToolUrls(call).launch).pathname };
  if (isFirst(sent)) return htmlPageResponse(call, againPage(call, platform, state, sent));
  const held = takeLaunchCookie(http, cookie) || (isSentByOwnPage(call) && sent["storage_key"]);
  try {
    if (!held || !matchesBrowserKeyHash(state, held)) throw new LtiRefusal("other_browser");
    if (sent["error"]) throw new LtiRefusal("platform_refused");
    if (!sent["id_token"]) throw new LtiRefusal("bad_request");
    return await launched(call, platform, state, { ...sent, id_token: sent["id_token"] });
  } catch (error) {
    if (!(error instanceof LtiRefusal)) throw error;
    await countRefusedLaunch(deps.db, platform.id, error.reason);
    return countedLaunchErrorPage(
      call,
      error,
      error.reason === "other_browser" ? restartUrl(call, state) : undefined,
    );
  }
}

type Sent = Record<string, string>;

/** The LMS's own form, before our page has posted it again. */
const isFirst = ({ id_token, storage_key, challenge }: Sent): boolean =>
  Boolean(id_token) && storage_key === undefined && challenge === undefined;

function againPage(
  call: LtiToolRequest,
  platform: KnownPlatform,
  state: LaunchState,
  sent: Sent,
): HtmlPageWithPolicy {
  const { name, storage_frame: frame } = state;
  const stored = frame ? { frame, origin: originOrEmpty(platform.auth_login_url), name } : { name };
  const { id_token = "", state: sealed = "" } = sent;
  const again = { action: ltiToolUrls(call).launch, id_token, state: sealed };
  return resendLaunchPage(stored, again, allowedFrameOrigins(platform));
}

const hashPattern = /^[0-9a-f]{64}$/;

async function launched(
  call: LtiToolRequest & { deps: HandlerInput["deps"] },
  platform: KnownPlatform,
  state: LaunchState,
  { id_token, challenge = "" }: Sent & { id_token: string },
): Promise<Response> {
  const tool = ltiToolUrls(call);
  const sent = { id_token, challenge: hashPattern.test(challenge) ? challenge : undefined };
  const found = await processLaunch(call.deps, platform, state, sent, tool);
  call.deps.metrics.launchEnded(found.kind);
  if (found.kind === "accepted") {
    const address = `${webAppUrl(call)}/embed/${platform.id}#code=${found.code}&launch=${state.name}`;
    return call.http.redirect(address, 303);
  }
  const shownTo = allowedFrameOrigins(platform);
  const action = `${tool.root}/window`;
  if (found.kind === "unbound") {
    const { course, own } = found;
    const connect = own && { ...own, action, screen: "connect" as const };
    return htmlPageResponse(call, unboundCoursePage({ platform: platform.name, course, connect }, shownTo));
  }
  const signIn = { ...found.own, action, screen: "sign-in" as const };
  return htmlPageResponse(
    call,
    signInPage({ platform: platform.name, signIn, make: `${tool.root}/account` }, shownTo),
  );
}

/**
 * A key in the form counts only if our own page read it from the LMS's storage. Another site could send its
 * own key and so sign the reader in as itself. `Sec-Fetch-Site` is set by the browser and cannot be forged by
 * pages.
 */
const isSentByOwnPage = ({ http }: LtiToolRequest): boolean =>
  http.req.header("sec-fetch-site") === "same-origin";
