import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Config } from "../config.ts";

/** What a page of another origin may read of an answer beside its body. */
const exposed = "X-Request-ID,Server-Timing,Link,ETag,Retry-After";

/**
 * Middleware: lets pages of the listed origins use the service; `*` lists all, and then none with its cookies. Hono's
 * own sets its headers before there is an answer, which is then copied as a stream, at a third of what giving a stored
 * one costs. Here it answers only what a browser asks beforehand.
 */
export function allowOrigins({
  BACKEND_CORS_ORIGINS: listed,
  ENVIRONMENT,
}: Pick<Config, "BACKEND_CORS_ORIGINS" | "ENVIRONMENT">): MiddlewareHandler {
  const allowsAll = listed.includes("*");
  const isAllowed = (origin: string) =>
    listed.includes(origin) || (ENVIRONMENT === "development" && isDevelopedHere(origin));
  const allowed = (origin: string) => (allowsAll ? "*" : isAllowed(origin) ? origin : null);
  const answerPreflight = cors({
    origin: allowsAll ? "*" : allowed,
    credentials: !allowsAll,
    allowHeaders: ["Authorization", "Content-Type", "Accept", "If-None-Match", "X-Request-ID"],
    exposeHeaders: [exposed],
    maxAge: 600,
  });
  return async (c, next) => {
    if (c.req.method === "OPTIONS") return answerPreflight(c, next);
    await next();
    const { headers } = c.res;
    const origin = allowed(c.req.header("origin") ?? "");
    if (origin) headers.set("Access-Control-Allow-Origin", origin);
    headers.set("Access-Control-Expose-Headers", exposed);
    if (allowsAll) return;
    headers.set("Access-Control-Allow-Credentials", "true");
    headers.append("Vary", "Origin");
  };
}

/** In development also pages that a server of this machine gives, at whatever port a frontend is developed. */
const isDevelopedHere = (origin: string): boolean =>
  /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
