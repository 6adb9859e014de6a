import { endpoint } from "../../../lib/http/endpoint.ts";
import { parseFormBody } from "../../../lib/http/form.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { toolLinksPage } from "../../../lib/integrations/lti/pages.ts";
import { consumeDeepLinkingResponse } from "../../../lib/integrations/lti-tools/deep-linking.ts";
import { htmlPageResponse, workOrLaunchErrorPage } from "./answers.ts";

export const receiveLtiToolLinks = endpoint(
  {
    id: "receiveLtiToolLinks",
    method: "post",
    path: "/tools/links",
    summary: "Receive a tool's chosen content",
    ...anyone,
    shares: "outbound",
    answer: { status: 200, schema: undefined, description: "A page that hands the items to the editor" },
    fails: [400, 404],
  },
  (call) =>
    workOrLaunchErrorPage(call, async () => {
      const { JWT = "" } = await parseFormBody(call);
      const service = publicUrl(call.http, call.deps.config);
      return htmlPageResponse(call, toolLinksPage(await consumeDeepLinkingResponse(call.deps, JWT, service)));
    }),
);
