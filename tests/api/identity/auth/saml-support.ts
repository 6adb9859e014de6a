import type { Hono } from "hono";
import { afterEach, beforeAll, expect } from "vitest";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import {
  answerTo,
  makeSamlProvider,
  oids,
  persistentFormat,
  requestIn,
  type SamlAnswer,
  type SamlProviderStandIn,
} from "../../../support/saml-provider.ts";
import type { World } from "../../../support/world.ts";

const host = "http://localhost";

export type SamlPage = { status: number; html: string; headers: Headers };

export function samlBrowserOf(world: World, provider: () => SamlProviderStandIn, loginName: () => string) {
  const app = () => world.app as Hono;

  async function begin(query: Record<string, string> = {}) {
    const reply = await app().request(
      `${host}/api/v1/auth/saml/${loginName()}/login?${new URLSearchParams(query)}`,
    );
    if (reply.status !== 302) throw new Error(`${reply.status} ${await reply.text()}`);
    const [setCookie = ""] = reply.headers.getSetCookie();
    const address = new URL(reply.headers.get("location") ?? "");
    const relayState = address.searchParams.get("RelayState") ?? "";
    return {
      address,
      relayState,
      setCookie,
      cookie: setCookie.split(";")[0] ?? "",
      request: requestIn(address),
    };
  }
  type Begun = Awaited<ReturnType<typeof begin>>;

  /** Posts a form to the assertion consumer service, as the provider's page does. */
  async function post(fields: Record<string, string>, cookie = "", name = loginName()): Promise<SamlPage> {
    const answer = await app().request(`${host}/api/v1/auth/saml/${name}/acs`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...(cookie && { cookie }) },
      body: new URLSearchParams(fields).toString(),
    });
    return { status: answer.status, html: await answer.text(), headers: answer.headers };
  }

  const answer = (begun: Begun, changes?: Partial<SamlAnswer>, at = world.deps.now().getTime()) =>
    answerTo(provider(), begun.request, at, changes);

  async function signIn(changes?: Partial<SamlAnswer>, query?: Record<string, string>): Promise<SamlPage> {
    const begun = await begin(query);
    return post({ SAMLResponse: await answer(begun, changes), RelayState: begun.relayState }, begun.cookie);
  }

  return { begin, post, answer, signIn };
}

/** The clock's time in worlds with SAML sign-ins. */
export const samlMoment = "2026-03-10T12:00:00.000Z";

type SamlUniversity = {
  provider: SamlProviderStandIn;
  university: number;
  admin: Client;
  /** The provider's path in the API, and its name in URLs. */
  path: string;
  loginName: string;
  browser: ReturnType<typeof samlBrowserOf>;
  /** A different known person each time. */
  someone(changes?: Record<string, string[]>): Partial<SamlAnswer>;
  // biome-ignore lint/suspicious/noExplicitAny: the answer's body
  facts(): Promise<any>;
};

/** Creates a university with SAML sign-in before a file's tests. */
export function openSamlUniversity(world: World): SamlUniversity {
  const make = makersOf(world);
  const saml = {
    browser: samlBrowserOf(
      world,
      () => saml.provider,
      () => saml.loginName,
    ),
    someone(changes: Record<string, string[]> = {}): Partial<SamlAnswer> {
      const name = make.unique("person").toLowerCase();
      return {
        nameId: { format: persistentFormat, value: name },
        attributes: { [oids.mail]: [`${name}@example.edu`], [oids.displayName]: ["Ada L."], ...changes },
      };
    },
    facts: async () => (await saml.admin.get(saml.path.replace(/\/\d+$/, ""))).body[0].saml,
  } as SamlUniversity;
  beforeAll(async () => {
    saml.provider = await makeSamlProvider(world.deps.now);
    saml.university = (await make.university()).id;
    saml.admin = world.as(await make.holder("university_admin", saml.university));
    const platform = world.as(await make.holder("platform_admin", (await make.university()).id));
    const all = `/universities/${saml.university}/identity-providers`;
    const added = await saml.admin.post(all, {
      kind: "saml",
      name: "campus",
      label: "Campus account",
      metadata: saml.provider.metadata(["example.edu"]),
      affiliation_roles: { faculty: "INSTRUCTOR", staff: "TA" },
    });
    expect(added).toMatchObject({
      status: 201,
      body: { kind: "saml", issuer: saml.provider.issuer, email_domains: [] },
    });
    saml.path = `${all}/${added.body.id}`;
    saml.loginName = added.body.login_name;
    await platform.put(`${saml.path}/email-domains`, { email_domains: ["example.edu"] });
  });
  afterEach(() => world.setNow(samlMoment));
  return saml;
}
