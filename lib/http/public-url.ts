import type { Context } from "hono";
import type { Config } from "../config.ts";
import { basePath } from "./base-path.ts";

/**
 * Where people reach the service: PUBLIC_URL or, without it, what the request was sent to. API Gateway keeps its
 * stage, the first segment of its own addresses, out of the path that it passes on.
 */
export function publicUrl(c: Context, config: Pick<Config, "API_V1_PREFIX" | "PUBLIC_URL">): string {
  if (config.PUBLIC_URL) return config.PUBLIC_URL;
  const { origin, pathname } = new URL(c.req.url);
  const sentTo: string = c.env?.requestContext?.path ?? pathname;
  const stage = sentTo.endsWith(pathname) ? sentTo.slice(0, -pathname.length) : "";
  return origin + stage + basePath(pathname, c.env, config);
}

/** Where the API is reached: what paths of operations follow. */
export const apiAddress = (c: Context, config: Pick<Config, "API_V1_PREFIX" | "PUBLIC_URL">): string =>
  publicUrl(c, config) + config.API_V1_PREFIX;
