import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import type { Config } from "../config.ts";
import type { TokenPair, Tokens } from "./tokens.ts";

const shared = { path: "/", secure: true, sameSite: "Lax" } as const;

/**
 * Sets the three cookies of a sign-in: both tokens, readable by the host alone, and the sign `logged_in`,
 * which carries nothing and is shared across COOKIE_DOMAIN. None of them ever authenticates a request here.
 */
export function setAuthCookies(
  c: Context,
  pair: TokenPair,
  lifetime: Tokens["lifetime"],
  config: Config,
): void {
  writeAll(c, config, [pair.access_token, lifetime.access], [pair.refresh_token, lifetime.refresh], "1");
}

/** Clears the three cookies. */
export function clearAuthCookies(c: Context, config: Config): void {
  writeAll(c, config, ["", 0], ["", 0], "");
}

type ValueAndAge = [value: string, maxAgeSeconds: number];

function writeAll(c: Context, config: Config, access: ValueAndAge, refresh: ValueAndAge, sign: string): void {
  const domain = config.COOKIE_DOMAIN ? { domain: config.COOKIE_DOMAIN } : {};
  setCookie(c, "app_access_token", access[0], { ...shared, httpOnly: true, maxAge: access[1] });
  setCookie(c, "app_refresh_token", refresh[0], { ...shared, httpOnly: true, maxAge: refresh[1] });
  setCookie(c, "logged_in", sign, { ...shared, ...domain, maxAge: refresh[1] });
}
