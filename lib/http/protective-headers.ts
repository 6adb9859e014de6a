import type { Context } from "hono";
import type { Config } from "../config.ts";
import type { HttpReply } from "./http-reply.ts";

const oneYearSeconds = 31_536_000;

const noPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** No sniffing, no referrer, HSTS over HTTPS. Caches store only what is public without a token. */
export function setSecurityHeaders(
  c: Context,
  config: Config,
  route: string | undefined,
  reply: HttpReply,
): void {
  const { headers } = reply;
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  // A 304 would replace the cached headers, and pages have their own policies.
  if (reply.status !== 304 && !headers.has("Content-Security-Policy"))
    headers.set("Content-Security-Policy", noPage);
  if ((config.PUBLIC_URL ?? c.req.url).startsWith("https:"))
    headers.set("Strict-Transport-Security", `max-age=${oneYearSeconds}`);
  if (!headers.has("Cache-Control") && !isOpen(c, route, reply)) headers.set("Cache-Control", "no-store");
}

/** Path parameters that are secrets. */
const givenToSome = /(token|certificate_code)\}/;

/** Requested without a token, also in the path, and without setting one. */
const isOpen = ({ req }: Context, route: string | undefined, { status, headers }: HttpReply): boolean =>
  ["GET", "HEAD"].includes(req.method) &&
  status < 400 &&
  req.header("authorization") === undefined &&
  !givenToSome.test(route ?? "") &&
  !headers.has("Set-Cookie");
