import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { answerWithLinks } from "../../../lib/integrations/lti/deep-linking.ts";
import { LtiLinks, LtiLinksCreate } from "../../../schema/api/integrations/lti-links.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const makeLtiLinks = endpoint(
  {
    id: "makeLtiLinks",
    method: "post",
    path: "/{offering_id}/lti-links",
    summary: "Make the links that an LMS asks for (deep linking)",
    description:
      "Signed once for each time that it asks: each link has its title, where it leads, when that opens and is due in the offering, and a column of grades where the LMS takes one. Nothing is kept here until the LMS launches a link.",
    ...may("grade:read"),
    params: pathIds("offering_id"),
    body: LtiLinksCreate,
    ...ok(LtiLinks, "Where the frame goes on, to hand them over"),
    fails: [400, 403, 404, 409],
  },
  ({ deps, http, actor, params, body }) =>
    answerWithLinks(deps, actor, params.offering_id, body, publicUrl(http, deps.config)),
);
