import type { Context } from "hono";
import { getCookie, setCookie as setCookieOfHono } from "hono/cookie";
import type { Config } from "../../config.ts";
import { noteOnRequest } from "../../platform/async/request-context.ts";
import type { TokenPair, TokenService } from "../../platform/secrets/tokens.ts";
import { oidcLoginLifetimeSeconds } from "./pending-oidc-login.ts";

const setCookie: typeof setCookieOfHono = (c, ...cookie) => {
  setCookieOfHono(c, ...cookie);
  noteOnRequest({ sets_cookie: true });
};

const shared = { path: "/", secure: true, sameSite: "Lax" } as const;

/**
 * The marker `logged_in` is empty and shared across COOKIE_DOMAIN. No request is authenticated by cookies.
 */
export function setAuthCookies(
  c: Context,
  pair: TokenPair,
  lifetime: TokenService["lifetime"],
  config: Config,
): void {
  writeAll(c, config, [pair.access_token, lifetime.access], [pair.refresh_token, lifetime.refresh], "1");
}

export function clearAuthCookies(c: Context, config: Config): void {
  writeAll(c, config, ["", 0], ["", 0], "");
}

/** The state in the name separates tabs; the path limits it to the callback. */
export function setLoginCookie(c: Context, state: string, sealed: string, path: string): void {
  setCookie(c, loginCookie(state), sealed, {
    ...shared,
    httpOnly: true,
    path,
    maxAge: oidcLoginLifetimeSeconds,
  });
}

export function takeLoginCookie(c: Context, state: string, path: string): string | undefined {
  const sealed = getCookie(c, loginCookie(state));
  if (sealed) setCookie(c, loginCookie(state), "", { ...shared, httpOnly: true, path, maxAge: 0 });
  return sealed;
}

const loginCookie = (state: string): string => `app_login_${state}`;

/** Sent in third-party frames, partitioned by the embedding site. */
const framed = { secure: true, httpOnly: true, sameSite: "None", partitioned: true } as const;

export type LaunchCookieNameAndPath = { name: string; path: string };

/** `maxAge` is in seconds. */
export function setLaunchCookie(
  c: Context,
  { name, path }: LaunchCookieNameAndPath,
  key: string,
  maxAge: number,
): void {
  setCookie(c, cookieOf(name), key, { ...framed, path, maxAge });
}

export function takeLaunchCookie(c: Context, { name, path }: LaunchCookieNameAndPath): string | undefined {
  const key = getCookie(c, cookieOf(name));
  if (key) setCookie(c, cookieOf(name), "", { ...framed, path, maxAge: 0 });
  return key;
}

/** `maxAge` is in seconds. */
export function setDeviceCookie(c: Context, sealed: string, path: string, maxAge: number): void {
  setCookie(c, "app_device", sealed, { ...shared, httpOnly: true, path, maxAge });
}

export const readDeviceCookie = (c: Context): string | undefined => getCookie(c, "app_device");

/** For the window that the launch opened. `maxAge` is in seconds. */
export function setTicketCookie(
  c: Context,
  { name, path }: LaunchCookieNameAndPath,
  key: string,
  maxAge: number,
): void {
  setCookie(c, ticketCookie(name), key, { ...shared, httpOnly: true, path, maxAge });
}

/** Keys by the tickets' names. */
export const ticketCookieReader =
  (c: Context) =>
  (name: string): string | undefined =>
    getCookie(c, ticketCookie(name));

const ticketCookie = (name: string): string => `lti_ticket_${name}`;

/** Sent with cross-site form posts, as from a SAML identity provider. */
const posted = { secure: true, httpOnly: true, sameSite: "None" } as const;

export type SamlCookieNameAndPath = { name: string; path: string };

/** `maxAge` is in seconds; 0 clears the cookie. */
export function setSamlCookie(
  c: Context,
  { name, path }: SamlCookieNameAndPath,
  sealed: string,
  maxAge: number,
): void {
  setCookie(c, samlCookie(name), sealed, { ...posted, path, maxAge });
}

export const readSamlCookie = (
  c: Context,
  { name }: Pick<SamlCookieNameAndPath, "name">,
): string | undefined => getCookie(c, samlCookie(name));

const samlCookie = (relayState: string): string => `app_saml_${relayState}`;

const cookieOf = (name: string): string => `lti_launch_${name}`;

type ValueAndAge = [value: string, maxAgeSeconds: number];

function writeAll(c: Context, config: Config, access: ValueAndAge, refresh: ValueAndAge, sign: string): void {
  const domain = config.COOKIE_DOMAIN ? { domain: config.COOKIE_DOMAIN } : {};
  setCookie(c, "app_access_token", access[0], { ...shared, httpOnly: true, maxAge: access[1] });
  setCookie(c, "app_refresh_token", refresh[0], { ...shared, httpOnly: true, maxAge: refresh[1] });
  setCookie(c, "logged_in", sign, { ...shared, ...domain, maxAge: refresh[1] });
}
