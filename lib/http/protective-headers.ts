import type { Context } from "hono";
import type { Config } from "../config.ts";
import type { HttpReply } from "./http-reply.ts";

const oneYearSeconds = 31_536_000;

/** Of what is no page: opened as one, it loads and runs nothing, and stands in no frame. */
const noPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Sets what keeps an answer from being taken for something else, and its address from others; over https, that
 * browsers stay with it. Only what anyone gets without a token may be kept by a cache.
 */
export function protect(c: Context, config: Config, route: string | undefined, reply: HttpReply): void {
  const { headers } = reply;
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  // A 304 changes the headers of what the browser has, and pages have policies of their own.
  if (reply.status !== 304 && !headers.has("Content-Security-Policy"))
    headers.set("Content-Security-Policy", noPage);
  if ((config.PUBLIC_URL ?? c.req.url).startsWith("https:"))
    headers.set("Strict-Transport-Security", `max-age=${oneYearSeconds}`);
  if (!headers.has("Cache-Control") && !isOpen(c, route, reply)) headers.set("Cache-Control", "no-store");
}

/** Parts of a path that are known to those alone whom they were given to. */
const givenToSome = /(token|certificate_code)\}/;

/** Whether the answer is the same for everyone: it was asked for without a token, in the path too, and brings none. */
const isOpen = ({ req }: Context, route: string | undefined, { status, headers }: HttpReply): boolean =>
  ["GET", "HEAD"].includes(req.method) &&
  status < 400 &&
  req.header("authorization") === undefined &&
  !givenToSome.test(route ?? "") &&
  !headers.has("Set-Cookie");
