import type { Context } from "hono";
import type { Config } from "../../../lib/config.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { withApiKey } from "../../../lib/identity/auth/guards.ts";
import { scimBase } from "../../../lib/integrations/scim/user-record.ts";

/** A university's systems only, by API key. */
export const bySystemApiKey = { ...withApiKey("directory:provision"), scope: "scim" } as const;

/** A response by RFC 7644, with its own media type. */
export const scimResponseContract = (status: 200 | 201 | 204, description: string) =>
  ({ answer: { status, description, schema: undefined } }) as const;

export const scimBaseUrl = (http: Context, config: Pick<Config, "API_V1_PREFIX" | "PUBLIC_URL">): string =>
  scimBase(publicUrl(http, config));
