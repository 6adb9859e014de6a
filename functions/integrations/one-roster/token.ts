import { endpoint } from "../../../lib/http/endpoint.ts";
import { parseFormBody } from "../../../lib/http/form.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { TokenRefusal } from "../../../lib/integrations/lti-tools/access-tokens.ts";
import { grantOneRosterAccess } from "../../../lib/integrations/one-roster/access-tokens.ts";

export const grantOneRosterToken = endpoint(
  {
    id: "grantOneRosterToken",
    method: "post",
    path: "/token",
    summary: "Grant a OneRoster client an access token",
    ...anyone,
    shares: "nothing",
    answer: { status: 200, schema: undefined, description: "An access token" },
    fails: [400, 401],
  },
  async (call) => {
    const authorization = call.http.req.header("authorization");
    try {
      const granted = await grantOneRosterAccess(call.deps, await parseFormBody(call), authorization);
      return call.http.json(granted, 200, { "Cache-Control": "no-store" });
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error;
      const body = { error: error.error, error_description: error.message };
      return call.http.json(body, error.status, { "Cache-Control": "no-store" });
    }
  },
);
