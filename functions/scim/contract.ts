import type { Context } from "hono";
import { byKey } from "../../lib/auth/guards.ts";
import type { Config } from "../../lib/config.ts";
import { publicUrl } from "../../lib/http/public-url.ts";
import { scimBase } from "../../lib/scim/user-record.ts";

/** A machine of the university alone, by its key. */
export const bySystem = { ...byKey("directory:provision"), scope: "scim" } as const;

/** What RFC 7644 says is answered, in its own media type. */
export const answered = (status: 200 | 201 | 204, description: string) =>
  ({ answer: { status, description, schema: undefined } }) as const;

/** Where the request reached SCIM. */
export const baseOf = (http: Context, config: Pick<Config, "API_V1_PREFIX" | "PUBLIC_URL">): string =>
  scimBase(publicUrl(http, config));
