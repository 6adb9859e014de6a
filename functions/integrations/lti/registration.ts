import { endpoint } from "../../../lib/http/endpoint.ts";
import { parseFormBody } from "../../../lib/http/form.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { ltiMessageTypes } from "../../../lib/integrations/lti/launch-claims.ts";
import { confirmRegistrationPage, platformRegisteredPage } from "../../../lib/integrations/lti/pages.ts";
import { LtiRefusal } from "../../../lib/integrations/lti/refusals.ts";
import { isRegistrationOpen, registerPlatform } from "../../../lib/integrations/lti/registration.ts";
import { scopesRequestedFromPlatforms } from "../../../lib/integrations/lti/service-scopes.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { htmlPageResponse, ltiToolUrls, workOrLaunchErrorPage } from "./answers.ts";

const params = pathIds("university_id");

export const showLtiRegistration = endpoint(
  {
    id: "showLtiRegistration",
    method: "get",
    path: "/{university_id}/register",
    summary: "Show the LTI registration page",
    ...anyone,
    params,
    answer: { status: 200, schema: undefined, description: "A page with a button" },
    fails: [400],
  },
  (call) =>
    workOrLaunchErrorPage(call, async () => {
      const { deps, http, params } = call;
      const asked = Object.fromEntries(new URL(http.req.url).searchParams);
      const { key = "", openid_configuration = "", registration_token = "" } = asked;
      if (!(await isRegistrationOpen(deps, params.university_id, key)))
        throw new LtiRefusal("registration_over");
      if (!openid_configuration) throw new LtiRefusal("bad_request");
      return htmlPageResponse(
        call,
        confirmRegistrationPage({ key, openid_configuration, registration_token }),
      );
    }),
);

export const registerLtiPlatform = endpoint(
  {
    id: "registerLtiPlatform",
    method: "post",
    path: "/{university_id}/register",
    summary: "Register an LMS by a registration link",
    ...anyone,
    shares: "outbound",
    params,
    answer: { status: 200, schema: undefined, description: "A confirmation page" },
    fails: [400],
  },
  (call) =>
    workOrLaunchErrorPage(call, async () => {
      const { key, openid_configuration, registration_token } = await parseFormBody(call);
      if (!key || !openid_configuration) throw new LtiRefusal("bad_request");
      const request = { key, openid_configuration, registration_token: registration_token || undefined };
      const { university_id } = call.params;
      const { name } = await registerPlatform(call.deps, university_id, request, ltiToolUrls(call));
      return htmlPageResponse(call, platformRegisteredPage(name));
    }),
);

export const getLtiConfiguration = endpoint(
  {
    id: "getLtiConfiguration",
    method: "get",
    path: "/{university_id}/config.json",
    summary: "Read the tool configuration for Canvas",
    ...anyone,
    params,
    answer: { status: 200, schema: undefined, description: "The tool's configuration" },
  },
  async (call) => {
    const { root, launch, jwks } = ltiToolUrls(call);
    const { APP_NAME } = call.deps.config;
    const placements = [
      { placement: "course_navigation", message_type: ltiMessageTypes.link },
      { placement: "link_selection", message_type: ltiMessageTypes.picking },
      { placement: "assignment_selection", message_type: ltiMessageTypes.picking },
    ].map((one) => ({ ...one, target_link_uri: launch, text: APP_NAME }));
    const settings = { text: APP_NAME, placements };
    const extension = { platform: "canvas.instructure.com", domain: new URL(root).host, settings };
    return call.http.json({
      title: APP_NAME,
      description: APP_NAME,
      oidc_initiation_url: `${root}/login`,
      target_link_uri: launch,
      public_jwk_url: jwks,
      scopes: scopesRequestedFromPlatforms,
      extensions: [{ ...extension, privacy_level: "anonymous" }],
    });
  },
);
