import { endpoint } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { platformConfiguration, registerTool } from "../../../lib/integrations/lti-tools/registration.ts";

export const getLtiToolPlatformConfiguration = endpoint(
  {
    id: "getLtiToolPlatformConfiguration",
    method: "get",
    path: "/tools/openid-configuration",
    summary: "Read the configuration of this LTI platform",
    ...anyone,
    answer: { status: 200, schema: undefined, description: "Configuration of OpenID Connect" },
  },
  async ({ deps, http }) => http.json(platformConfiguration(publicUrl(http, deps.config))),
);

export const registerLtiTool = endpoint(
  {
    id: "registerLtiTool",
    method: "post",
    path: "/tools/register",
    summary: "Register a tool by a registration token",
    ...anyone,
    shares: "nothing",
    answer: { status: 200, schema: undefined, description: "The registered client" },
    fails: [401, 422],
  },
  async ({ deps, http }) => {
    const [, token = ""] = /^Bearer +(\S{1,4000})$/i.exec(http.req.header("authorization") ?? "") ?? [];
    const metadata: unknown = await http.req.json().catch(() => undefined);
    return http.json(await registerTool(deps, token, metadata), 200, { "Cache-Control": "no-store" });
  },
);
