import { badRequest } from "../../errors.ts";

/** The URL must fit into a cookie with the rest of the state. */
const maxRedirectTargetCharacters = 2000;

/** A placeholder host, which exposes paths that lead to another host. */
const here = "http://here.invalid";

/**
 * A path on this host (`/courses?page=2`), or a URL at one of these origins. In ASCII as a browser reads it;
 * anything else is a 400.
 */
export function normalizeAllowedRedirect(wanted: string, origins: readonly string[]): string {
  const target = pathHere(wanted) ?? addressAt(wanted, origins);
  if (target === undefined || target.length > maxRedirectTargetCharacters)
    throw badRequest("redirect_not_allowed");
  return target;
}

/** Browsers drop control characters and read a backslash as a slash, so both are rejected. */
const isMisread = (text: string): boolean => /[\p{Cc}\s\\]/u.test(text);

function pathHere(wanted: string): string | undefined {
  if (!wanted.startsWith("/") || isMisread(wanted) || !URL.canParse(wanted, here)) return undefined;
  const { origin, pathname, search, hash } = new URL(wanted, here);
  // `/.//host` normalizes to `//host`, which is another host.
  return origin === here && !pathname.startsWith("//") ? pathname + search + hash : undefined;
}

function addressAt(wanted: string, origins: readonly string[]): string | undefined {
  if (!/^https?:\/\//i.test(wanted) || isMisread(wanted) || !URL.canParse(wanted)) return undefined;
  const { origin, username, password, href } = new URL(wanted);
  const allowed = origins.filter((one) => URL.canParse(one)).map((one) => new URL(one).origin);
  return allowed.includes(origin) && !username && !password ? href : undefined;
}
