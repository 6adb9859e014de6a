import { beforeEach } from "vitest";
import type { IdentityProvider, Subject } from "../../../support/identity-provider.ts";
import type { World } from "../../../support/world.ts";

/** The app's own origin in these tests. */
const host = "http://localhost/api/v1";

export const callbackUri = (name = "campus") => `${host}/auth/oidc/${name}/callback`;

/** A sign-in in progress: the address of the redirect, and the cookie. */
export type Begun = { address: URL; cookie: string; setCookie: string };

export function browserOf(world: World, provider: () => IdentityProvider) {
  async function begin(redirectTo?: string, name = "campus", challenge?: string): Promise<Begun> {
    const asked = new URLSearchParams({
      ...(redirectTo !== undefined && { redirect_to: redirectTo }),
      ...(challenge !== undefined && { code_challenge: challenge }),
    });
    const query = asked.size > 0 ? `?${asked}` : "";
    const reply = await world.as().get(`/auth/oidc/${name}/login${query}`);
    if (reply.status !== 302) throw new Error(`${reply.status} ${reply.text}`);
    const [setCookie = ""] = reply.headers.getSetCookie();
    const address = new URL(reply.headers.get("location") ?? "");
    return { address, setCookie, cookie: setCookie.split(";")[0] ?? "" };
  }

  const comeBack = (address: string, cookie: string) =>
    world.as().get(address.slice(host.length), { headers: { cookie } });

  async function signIn(subject: Subject | "refuse", redirectTo?: string) {
    const { address, cookie } = await begin(redirectTo);
    return comeBack(await provider().visit(address.href, subject), cookie);
  }

  return { begin, comeBack, signIn };
}

export const untampered = (provider: () => IdentityProvider) =>
  beforeEach(() => {
    provider().tamper = () => {};
  });

export const cookiesOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    headers.getSetCookie().map((cookie) => cookie.split(";")[0]?.split("=") as [string, string]),
  );
