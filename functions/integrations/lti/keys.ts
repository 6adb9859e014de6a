import { endpoint } from "../../../lib/http/endpoint.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { publicKeySet } from "../../../lib/integrations/lti/keys.ts";

/** Cache lifetime of the key set in seconds. A new key is published weeks before its first use. */
const keptSeconds = 3600;

export const getLtiKeySet = endpoint(
  {
    id: "getLtiKeySet",
    method: "get",
    path: "/jwks",
    summary: "Read the LTI tool's public keys",
    ...anyone,
    answer: { status: 200, description: "A JSON Web Key Set", schema: undefined },
  },
  async ({ deps, http }) =>
    http.json(await publicKeySet(deps.db, deps.now()), 200, {
      "Cache-Control": `public, max-age=${keptSeconds}`,
    }),
);
