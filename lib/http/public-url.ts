import type { Context } from "hono";
import type { Config } from "../config.ts";
import { basePath } from "./base-path.ts";

/**
 * PUBLIC_URL, or the request's address. API Gateway's own addresses start with the stage, which it removes
 * from the path.
 */
export function publicUrl(c: Context, config: Pick<Config, "API_V1_PREFIX" | "PUBLIC_URL">): string {
  if (config.PUBLIC_URL) return config.PUBLIC_URL;
  const { origin, pathname } = new URL(c.req.url);
  const sentTo: string = c.env?.requestContext?.path ?? pathname;
  const stage = sentTo.endsWith(pathname) ? sentTo.slice(0, -pathname.length) : "";
  return origin + stage + basePath(pathname, c.env, config);
}

/** Operation paths are appended to it. */
export const publicApiUrl = (c: Context, config: Pick<Config, "API_V1_PREFIX" | "PUBLIC_URL">): string =>
  publicUrl(c, config) + config.API_V1_PREFIX;
