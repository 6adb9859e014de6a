import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Config } from "../config.ts";
import type { TokenPair, Tokens } from "../secrets/tokens.ts";
import { loginLifetime } from "./login-attempt.ts";

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

/**
 * Keeps a sign-in at an identity provider in the browser until it comes back. The state is part of the name, so
 * that a second tab leaves the first alone, and only the callback is sent it.
 */
export function setLoginCookie(c: Context, state: string, sealed: string, path: string): void {
  setCookie(c, loginCookie(state), sealed, { ...shared, httpOnly: true, path, maxAge: loginLifetime });
}

/** The sign-in that was kept under that state, whose cookie is cleared: it is used once, however that ends. */
export function takeLoginCookie(c: Context, state: string, path: string): string | undefined {
  const sealed = getCookie(c, loginCookie(state));
  if (sealed) setCookie(c, loginCookie(state), "", { ...shared, httpOnly: true, path, maxAge: 0 });
  return sealed;
}

const loginCookie = (state: string): string => `app_login_${state}`;

/** Sent from within a frame of another site too, and kept apart for each site that has the frame. */
const framed = { secure: true, httpOnly: true, sameSite: "None", partitioned: true } as const;

/** Where the key of a launch by LTI is kept: under the launch's name, and only its path is sent it. */
export type LaunchCookie = { name: string; path: string };

/** Keeps the key of a launch in the browser for so many seconds, until the LMS has answered. */
export function setLaunchCookie(c: Context, { name, path }: LaunchCookie, key: string, maxAge: number): void {
  setCookie(c, cookieOf(name), key, { ...framed, path, maxAge });
}

/** The key that was kept, whose cookie is cleared: it is used once, however that ends. */
export function takeLaunchCookie(c: Context, { name, path }: LaunchCookie): string | undefined {
  const key = getCookie(c, cookieOf(name));
  if (key) setCookie(c, cookieOf(name), "", { ...framed, path, maxAge: 0 });
  return key;
}

/** Sent with a form of another site: that of the identity provider. */
const posted = { secure: true, httpOnly: true, sameSite: "None" } as const;

/** Where a sign-in by SAML is kept: under its RelayState, and only the assertion consumer service is sent it. */
export type SamlCookie = { name: string; path: string };

/** Keeps a sign-in by SAML in the browser for so many seconds; 0 clears it. */
export function setSamlCookie(c: Context, { name, path }: SamlCookie, sealed: string, maxAge: number): void {
  setCookie(c, samlCookie(name), sealed, { ...posted, path, maxAge });
}

/** The sign-in that was kept, which stays: only what is accepted ends it. */
export const readSamlCookie = (c: Context, { name }: Pick<SamlCookie, "name">): string | undefined =>
  getCookie(c, samlCookie(name));

const samlCookie = (relayState: string): string => `app_saml_${relayState}`;

const cookieOf = (name: string): string => `lti_launch_${name}`;

type ValueAndAge = [value: string, maxAgeSeconds: number];

function writeAll(c: Context, config: Config, access: ValueAndAge, refresh: ValueAndAge, sign: string): void {
  const domain = config.COOKIE_DOMAIN ? { domain: config.COOKIE_DOMAIN } : {};
  setCookie(c, "app_access_token", access[0], { ...shared, httpOnly: true, maxAge: access[1] });
  setCookie(c, "app_refresh_token", refresh[0], { ...shared, httpOnly: true, maxAge: refresh[1] });
  setCookie(c, "logged_in", sign, { ...shared, ...domain, maxAge: refresh[1] });
}
