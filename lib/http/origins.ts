import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Config } from "../config.ts";

const exposedHeaders = ["X-Request-ID", "Server-Timing", "Link", "ETag", "Retry-After"];

/** In development also pages that a server of this machine gives, at whatever port a frontend is developed. */
const isDevelopedHere = (origin: string): boolean =>
  /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);

/**
 * Middleware: lets pages of the listed origins read the answers. Hono's own sets its headers before there is an answer,
 * which is then made again as a stream to take them over: half of the work of a small one. So it answers the questions
 * of browsers alone, and what follows them is marked when it is there.
 */
export function allowOrigins({
  BACKEND_CORS_ORIGINS: listed,
  ENVIRONMENT,
}: Pick<Config, "BACKEND_CORS_ORIGINS" | "ENVIRONMENT">): MiddlewareHandler {
  const isOpen = listed.includes("*");
  const isAllowed = (origin: string): boolean =>
    listed.includes(origin) || (ENVIRONMENT === "development" && isDevelopedHere(origin));
  const preflight = cors({
    origin: isOpen ? "*" : (origin) => (isAllowed(origin) ? origin : null),
    credentials: !isOpen,
    allowHeaders: ["Authorization", "Content-Type", "Accept", "If-None-Match", "X-Request-ID"],
    exposeHeaders: exposedHeaders,
    maxAge: 600,
  });
  const exposed = exposedHeaders.join(",");

  return async (c, next) => {
    if (c.req.method === "OPTIONS") return preflight(c, next);
    await next();
    const { headers } = c.res;
    const origin = c.req.header("origin") ?? "";
    headers.set("Access-Control-Expose-Headers", exposed);
    if (isOpen) return headers.set("Access-Control-Allow-Origin", "*");
    headers.append("Vary", "Origin");
    headers.set("Access-Control-Allow-Credentials", "true");
    if (isAllowed(origin)) headers.set("Access-Control-Allow-Origin", origin);
  };
}
