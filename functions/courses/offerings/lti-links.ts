import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { signDeepLinkingResponse } from "../../../lib/integrations/lti/deep-linking.ts";
import { LtiLinks, LtiLinksCreate } from "../../../schema/api/integrations/lti-links.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const makeLtiLinks = endpoint(
  {
    id: "makeLtiLinks",
    method: "post",
    path: "/{offering_id}/lti-links",
    summary: "Create LTI deep links",
    description:
      "Signs the links for one deep linking request. Each link has a title, a target and the offering's " +
      "dates. It has a grade column if the LMS accepts one. Nothing is stored until the LMS launches a " +
      "link.",
    ...permittedTo("grade:read"),
    params: pathIds("offering_id"),
    body: LtiLinksCreate,
    ...ok(LtiLinks, "Address of the page that returns the links to the LMS"),
    fails: [400, 403, 404, 409],
  },
  ({ deps, http, actor, params, body }) =>
    signDeepLinkingResponse(deps, actor, params.offering_id, body, publicUrl(http, deps.config)),
);
