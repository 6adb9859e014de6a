import { badRequest } from "../errors.ts";

/** An address has to fit into a cookie with the rest of a sign-in. */
const longest = 2000;

/** Stands for the frontend's host, whatever it is: a path that leads to another host shows by that. */
const here = "http://here.invalid";

/**
 * Where to lead a browser after a sign-in: a path on this host (`/courses?page=2`), or an address at one of these
 * origins. Answers it as a browser would read it, in ASCII; anything else is a 400.
 */
export function redirectTarget(wanted: string, origins: readonly string[]): string {
  const target = pathHere(wanted) ?? addressAt(wanted, origins);
  if (target === undefined || target.length > longest) throw badRequest("redirect_not_allowed");
  return target;
}

/** Browsers leave control characters out and read a backslash as a slash, so neither may stand anywhere. */
const isMisread = (text: string): boolean => /[\p{Cc}\s\\]/u.test(text);

function pathHere(wanted: string): string | undefined {
  if (!wanted.startsWith("/") || isMisread(wanted) || !URL.canParse(wanted, here)) return undefined;
  const { origin, pathname, search, hash } = new URL(wanted, here);
  // What is left of `/.//host` is `//host`, which is another host.
  return origin === here && !pathname.startsWith("//") ? pathname + search + hash : undefined;
}

function addressAt(wanted: string, origins: readonly string[]): string | undefined {
  if (!/^https?:\/\//i.test(wanted) || isMisread(wanted) || !URL.canParse(wanted)) return undefined;
  const { origin, username, password, href } = new URL(wanted);
  const allowed = origins.filter((one) => URL.canParse(one)).map((one) => new URL(one).origin);
  return allowed.includes(origin) && !username && !password ? href : undefined;
}
