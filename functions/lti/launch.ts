import { setLaunchCookie, takeLaunchCookie } from "../../lib/auth/cookies.ts";
import { anyone } from "../../lib/auth/guards.ts";
import { type Call, endpoint } from "../../lib/http/endpoint.ts";
import {
  frameOriginsOf,
  type KnownPlatform,
  originOf,
  platformOfLaunch,
} from "../../lib/lti/known-platform.ts";
import { beginLogin, takeLaunch } from "../../lib/lti/launch.ts";
import { isKeyOf, launchLifetime, openState } from "../../lib/lti/launch-state.ts";
import { keepKeyPage, type Page, readKeyPage, unboundPage } from "../../lib/lti/pages.ts";
import { LaunchRefusal } from "../../lib/lti/refusals.ts";
import { pathIds } from "../../schema/api/fields.ts";
import { formOf, orRefused, refused, shown, type ToolCall, toolAddresses } from "./answers.ts";

/*
 * A launch by LTI 1.3: the LMS sends a browser to `login`, that leads it back to the LMS, which posts what it signed to
 * `launch`. Both answer pages, since they stand in a frame of the LMS; whatever is refused is one page in words.
 */

const params = pathIds("university_id");

const toThePlatform = {
  status: 302,
  schema: undefined,
  description: "To the LMS, or a page that goes there",
} as const;
const aPage = { status: 200, schema: undefined, description: "A page for the LMS's frame" } as const;

export const beginLtiLogin = endpoint(
  {
    id: "beginLtiLogin",
    method: "get",
    path: "/{university_id}/login",
    summary: "Begin a launch that an LMS asks for",
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
    summary: "Begin a launch that an LMS asks for by a form",
    ...anyone,
    params,
    answer: toThePlatform,
    fails: [400, 404],
  },
  async (call) => answerLogin(call, await formOf(call)),
);

export const finishLtiLaunch = endpoint(
  {
    id: "finishLtiLaunch",
    method: "post",
    path: "/{university_id}/launch",
    summary: "Take what an LMS signed for a launch",
    ...anyone,
    params,
    answer: aPage,
    fails: [400, 403, 404, 503],
  },
  (call) => orRefused(call, () => launchPage(call)),
);

type LoginCall = ToolCall & { deps: { db: Call["deps"]["reads"] } };

const answerLogin = (call: LoginCall, input: Record<string, string>): Promise<Response> =>
  orRefused(call, async () => {
    const { deps, http, params } = call;
    const tool = toolAddresses(call);
    const begun = await beginLogin(deps, params.university_id, input, tool);
    const { platform, name, key, address, storage_frame: frame } = begun;
    setLaunchCookie(http, { name, path: new URL(tool.launch).pathname }, key, launchLifetime);
    if (!frame) return http.redirect(address);
    const stored = { frame, origin: originOf(platform.auth_login_url), name, key, address };
    return shown(call, keepKeyPage(stored, frameOriginsOf(platform)));
  });

async function launchPage(call: ToolCall & { deps: Call["deps"] }): Promise<Response> {
  const { deps, http, params } = call;
  const { id_token, state: sealed, storage_key, error } = await formOf(call);
  const state = sealed ? await openState(deps, params.university_id, sealed) : undefined;
  if (!state || !sealed) throw new LaunchRefusal("not_begun");
  const tool = toolAddresses(call);
  const platform = await platformOfLaunch(deps.db, params.university_id, state.platform_id);
  const cookie = takeLaunchCookie(http, { name: state.name, path: new URL(tool.launch).pathname });
  const key = cookie || (isSentByOwnPage(call) && storage_key);
  // Only the first time: whoever comes back from the store without a key has none.
  if (!key && state.storage_frame && storage_key === undefined && id_token) {
    const stored = {
      frame: state.storage_frame,
      origin: originOf(platform.auth_login_url),
      name: state.name,
    };
    const sent = { action: tool.launch, id_token, state: sealed };
    return shown(call, readKeyPage(stored, sent, frameOriginsOf(platform)));
  }
  if (!key || !isKeyOf(state, key)) return refused(call, new LaunchRefusal("other_browser"), state);
  if (error) throw new LaunchRefusal("platform_refused");
  if (!id_token) throw new LaunchRefusal("bad_request");
  const { context } = await takeLaunch(deps, platform, state, id_token, tool);
  deps.metrics.launchEnded("accepted");
  return shown(call, pageOf(platform, context?.title));
}

/**
 * A key in the form counts where the tool's own page has read it from the platform's store: a page of someone else could
 * send theirs, and so launch its reader as them. Browsers say who sent a form, and no page can say it for them.
 */
const isSentByOwnPage = ({ http }: ToolCall): boolean => http.req.header("sec-fetch-site") === "same-origin";

const pageOf = (platform: KnownPlatform, course: string | undefined): Page =>
  unboundPage({ platform: platform.name, course }, frameOriginsOf(platform));
