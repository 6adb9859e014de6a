import { endpoint } from "../../../lib/http/endpoint.ts";
import { formOf } from "../../../lib/http/form.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { decryptSignedResponse } from "../../../lib/integrations/lti/deep-linking-request.ts";
import { handOnLinksPage, sendLinksPage } from "../../../lib/integrations/lti/pages.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { orRefused, shown } from "./answers.ts";

const params = pathIds("university_id");

export const showLtiLinks = endpoint(
  {
    id: "showLtiLinks",
    method: "get",
    path: "/{university_id}/deep-linking",
    summary: "Submit the links of the address fragment",
    ...anyone,
    params,
    answer: { status: 200, schema: undefined, description: "A page that submits the links" },
  },
  async (call) => shown(call, handOnLinksPage()),
);

export const sendLtiLinks = endpoint(
  {
    id: "sendLtiLinks",
    method: "post",
    path: "/{university_id}/deep-linking",
    summary: "Send signed links to the LMS",
    ...anyone,
    shares: "nothing",
    params,
    answer: { status: 200, schema: undefined, description: "A page that posts the links to the LMS" },
    fails: [400],
  },
  (call) =>
    orRefused(call, async () => {
      const { links = "" } = await formOf(call);
      return shown(call, sendLinksPage(await decryptSignedResponse(call.deps, links)));
    }),
);
