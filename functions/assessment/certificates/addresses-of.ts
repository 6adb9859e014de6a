import type { Context } from "hono";
import type { ApiBaseUrl } from "../../../lib/assessment/certificates/certificate-urls.ts";
import type { Config } from "../../../lib/config.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";

/** Public URLs of certificates and keys. They use PUBLIC_URL, regardless of the request's host. */
export const publicApiBaseUrl = (
  http: Context,
  config: Pick<Config, "PUBLIC_URL" | "API_V1_PREFIX">,
): ApiBaseUrl => ({ api: publicUrl(http, config) + config.API_V1_PREFIX });
