import type { Context } from "hono";
import { setCookie as setCookieOfHono } from "hono/cookie";

const setsCookieKey = "setsCookie";

export function setCookie(c: Context, ...cookie: Tail<Parameters<typeof setCookieOfHono>>): void {
  setCookieOfHono(c, ...cookie);
  c.set(setsCookieKey, true);
}

/** Asking Hono for the headers would create them. */
export const setsCookie = (c: Context): boolean => c.get(setsCookieKey) === true;

type Tail<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest] ? Rest : never;
