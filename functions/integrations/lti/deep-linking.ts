import { endpoint } from "../../../lib/http/endpoint.ts";
import { formOf } from "../../../lib/http/form.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { openLinks } from "../../../lib/integrations/lti/deep-linking-request.ts";
import { handOnLinksPage, sendLinksPage } from "../../../lib/integrations/lti/pages.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { orRefused, shown } from "./answers.ts";

const params = pathIds("university_id");

export const showLtiLinks = endpoint(
  {
    id: "showLtiLinks",
    method: "get",
    path: "/{university_id}/deep-linking",
    summary: "Hand on the links of the address's fragment",
    ...anyone,
    params,
    answer: { status: 200, schema: undefined, description: "A page that sends them" },
  },
  async (call) => shown(call, handOnLinksPage()),
);

export const sendLtiLinks = endpoint(
  {
    id: "sendLtiLinks",
    method: "post",
    path: "/{university_id}/deep-linking",
    summary: "Post links that were signed to the LMS that asked for them",
    ...anyone,
    shares: "nothing",
    params,
    answer: { status: 200, schema: undefined, description: "A page that posts them" },
    fails: [400],
  },
  (call) =>
    orRefused(call, async () => {
      const { links = "" } = await formOf(call);
      return shown(call, sendLinksPage(await openLinks(call.deps, links)));
    }),
);
