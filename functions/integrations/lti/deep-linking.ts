import { endpoint } from "../../../lib/http/endpoint.ts";
import { parseFormBody } from "../../../lib/http/form.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { decryptSignedResponse } from "../../../lib/integrations/lti/deep-linking-request.ts";
import { postLinksToLmsPage, relayLinksPage } from "../../../lib/integrations/lti/pages.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { htmlPageResponse, workOrLaunchErrorPage } from "./answers.ts";

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
  async (call) => htmlPageResponse(call, relayLinksPage()),
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
    workOrLaunchErrorPage(call, async () => {
      const { links = "" } = await parseFormBody(call);
      return htmlPageResponse(call, postLinksToLmsPage(await decryptSignedResponse(call.deps, links)));
    }),
);
