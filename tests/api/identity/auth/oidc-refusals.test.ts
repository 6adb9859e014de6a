import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../scripts/dev/free-port.ts";
import {
  type IdentityProvider,
  type Subject,
  startIdentityProvider,
} from "../../../support/identity-provider.ts";
import { makersOf } from "../../../support/makers.ts";
import { createPatientServer } from "../../../support/patient-server.ts";
import { openWorld } from "../../../support/world.ts";
import { browserOf, callbackUri, cookiesOf, untampered } from "./oidc-support.ts";

let provider: IdentityProvider;
let leaving: IdentityProvider;
let wordy: IdentityProvider;
let latePort: number;
beforeAll(async () => {
  latePort = await freePort();
  [provider, leaving, wordy] = await Promise.all([
    startIdentityProvider({ redirectUri: callbackUri() }),
    startIdentityProvider({ name: "leaving", redirectUri: callbackUri("leaving") }),
    startIdentityProvider({ name: "wordy", redirectUri: callbackUri("wordy"), claimsInIdToken: true }),
  ]);
});
afterAll(() => Promise.all([provider.close(), leaving.close(), wordy.close()]));

const world = openWorld(() => {
  const absent = { ...provider.setting, name: "absent", issuer: `http://127.0.0.1:${latePort}` };
  const settings = [provider.setting, leaving.setting, wordy.setting, absent];
  return {
    OIDC_PROVIDERS: JSON.stringify(settings),
    PUBLIC_URL: "http://localhost/",
    BACKEND_CORS_ORIGINS: "https://learn.example.edu, http://localhost:5173/, *",
  };
});
const make = makersOf(world);
const browser = browserOf(world, () => provider);
untampered(() => provider);

const someone = (): Subject => {
  const sub = make.unique("subject");
  return { sub, email: `${sub}@example.edu`, email_verified: true, name: "Ada" };
};

const refused = (detail: string) => ({ status: 400, body: { detail } });
const notBegun = refused("This sign-in was not started in this browser, or over 10 minutes ago. Start again");
const notOfThis = refused("The identity provider's answer does not belong to this sign-in");
const alreadyFinished = refused("This sign-in was already finished, or took too long. Start again");
const unreachable = { status: 503, body: { detail: "The identity provider cannot be reached" } };

/** The address with changed parameters; null removes one. */
function altered(address: string | URL, parameters: Record<string, string | null>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters))
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return url.href;
}

describe("PUBLIC_URL", () => {
  it("is the base of the callback, regardless of the request's host", async () => {
    const reply = await world.app.request("http://internal:8080/api/v1/auth/oidc/campus/login");
    const address = new URL(reply.headers.get("location") ?? "");
    expect(address.searchParams.get("redirect_uri")).toBe(callbackUri());
  });
});

describe("redirect_to", () => {
  it.each([
    ["/", "/"],
    ["/courses/7?tab=a%20b&next=//x#top", "/courses/7?tab=a%20b&next=//x#top"],
    ["/kurs/über", "/kurs/%C3%BCber"],
    ["https://learn.example.edu", "https://learn.example.edu/"],
    ["https://LEARN.example.edu:443/courses?page=2", "https://learn.example.edu/courses?page=2"],
    ["http://localhost:5173/courses", "http://localhost:5173/courses"],
  ])("leads to %s", async (wanted, location) => {
    const { address, cookie } = await browser.begin(wanted);
    const reply = await browser.comeBack(await provider.visit(address.href, someone()), cookie);
    expect(reply.headers.get("location")).toBe(location);
  });

  it("leads to the start without one", async () => {
    expect((await browser.signIn(someone())).headers.get("location")).toBe("/");
  });

  it("fits into a cookie, however long it may be", async () => {
    const { setCookie } = await browser.begin(`/${"x".repeat(1999)}`);
    expect(setCookie.length).toBeLessThan(4096);
    const reply = await world.as().get(`/auth/oidc/campus/login?redirect_to=/${"%C3%BC".repeat(1000)}`);
    expect(reply.status).toBe(400);
  });

  it.each([
    "",
    "courses",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/courses\r\nSet-Cookie: a=b",
    "\u0001/courses",
    " /courses",
    "/.//evil.example",
    "/..//evil.example",
    "/a/..//evil.example",
    "/%2e//evil.example",
    "https://evil.example",
    "https://learn.example.edu.evil.example/",
    "https://learn.example.edu@evil.example/",
    "https://evil.example@learn.example.edu/",
    "https://learn.example.edu:8443/",
    "https://learn.example.edu\\@evil.example",
    "http://learn.example.edu/",
    "https:learn.example.edu",
    "https:/learn.example.edu",
    "javascript:alert(1)",
    "data:text/html,hello",
    "//learn.example.edu/",
    "*",
    "null",
  ])("refuses %j", async (wanted) => {
    const query = new URLSearchParams({ redirect_to: wanted });
    const reply = await world.as().get(`/auth/oidc/campus/login?${query}`);
    expect(reply).toMatchObject(
      refused("redirect_to must be a path such as /courses, or an address at an allowed origin"),
    );
    expect(reply.headers.getSetCookie()).toEqual([]);
  });
});

describe("a callback", () => {
  it("without a state, with a foreign one, and without its cookie was not begun here", async () => {
    const { address, cookie } = await browser.begin();
    const other = await browser.begin();
    const back = await provider.visit(address.href, someone());
    expect(await browser.comeBack(altered(back, { state: null }), cookie)).toMatchObject(notBegun);
    expect(await browser.comeBack(altered(back, { state: "foreign" }), cookie)).toMatchObject(notBegun);
    expect(await browser.comeBack(back, "")).toMatchObject(notBegun);
    expect(await browser.comeBack(back, other.cookie)).toMatchObject(notBegun);
    expect((await browser.comeBack(back, cookie)).status).toBe(302);
  });

  it("with the cookie of another sign-in under its name is rejected", async () => {
    const [first, second] = [await browser.begin(), await browser.begin()];
    const renamed = `${first.cookie.split("=")[0]}=${second.cookie.split("=")[1]}`;
    const back = await provider.visit(first.address.href, someone());
    expect(await browser.comeBack(back, renamed)).toMatchObject(notOfThis);
  });

  it("with a cookie of another provider was not begun here", async () => {
    const { address, cookie } = await browser.begin();
    const back = await provider.visit(address.href, someone());
    const elsewhere = back.replace("/campus/", "/wordy/");
    expect(await browser.comeBack(elsewhere, cookie)).toMatchObject(notBegun);
  });

  it("with a cookie that was changed, or sealed with another key, was not begun here", async () => {
    const { address, cookie } = await browser.begin();
    const back = await provider.visit(address.href, someone());
    const [name, sealed = ""] = cookie.split("=");
    const parts = sealed.split(".");
    const changed = [...parts.slice(0, 3), `A${parts[3]?.slice(1)}B`, parts[4]].join(".");
    const { access_token } = await world.deps.tokens.issue({ id: 1 });
    for (const value of [changed, "abc", "", `${sealed.slice(0, -4)}AAAA`, access_token])
      expect(await browser.comeBack(back, `${name}=${value}`), value).toMatchObject(notBegun);
  });

  it("is too late after ten minutes", async () => {
    const now = world.deps.now();
    const [slow, slower] = [await browser.begin(), await browser.begin()];
    const backs = await Promise.all(
      [slow, slower].map(({ address }) => provider.visit(address.href, someone())),
    );
    world.setNow(new Date(now.getTime() + 599_000));
    expect((await browser.comeBack(backs[0] ?? "", slow.cookie)).status).toBe(302);
    world.setNow(new Date(now.getTime() + 600_000));
    expect(await browser.comeBack(backs[1] ?? "", slower.cookie)).toMatchObject(notBegun);
    world.setNow(now);
  });

  it("with a used or invalid code is rejected and still clears its cookie", async () => {
    const { address, cookie } = await browser.begin();
    const back = await provider.visit(address.href, someone());
    expect((await browser.comeBack(back, cookie)).status).toBe(302);
    const again = await browser.comeBack(back, cookie);
    expect(again).toMatchObject(alreadyFinished);
    expect(again.headers.getSetCookie()).toHaveLength(1);
    expect(again.headers.getSetCookie()[0]).toMatch(/^app_login_[\w-]+=; Max-Age=0;/);
    const other = await browser.begin();
    const forged = altered(callbackUri(), {
      code: "forged",
      state: other.address.searchParams.get("state"),
      iss: provider.issuer,
    });
    expect(await browser.comeBack(forged, other.cookie)).toMatchObject(alreadyFinished);
  });

  it("with a code of another sign-in is rejected: its verifier differs", async () => {
    const [victim, attacker] = [await browser.begin(), await browser.begin()];
    const stolen = new URL(await provider.visit(victim.address.href, someone())).searchParams.get("code");
    const back = await provider.visit(attacker.address.href, someone());
    expect(await browser.comeBack(altered(back, { code: stolen }), attacker.cookie)).toMatchObject(
      alreadyFinished,
    );
  });

  it("without a code, with two, or in another provider's name is rejected", async () => {
    const states = await Promise.all([1, 2, 3].map(() => browser.begin()));
    const [none, two, foreign] = await Promise.all(
      states.map(({ address }) => provider.visit(address.href, someone())),
    );
    const [a, b, c] = states.map(({ cookie }) => cookie);
    expect(await browser.comeBack(altered(none ?? "", { code: null }), a ?? "")).toMatchObject(notOfThis);
    expect(await browser.comeBack(`${two}&code=another`, b ?? "")).toMatchObject(notOfThis);
    const iss = "https://evil.example";
    expect(await browser.comeBack(altered(foreign ?? "", { iss }), c ?? "")).toMatchObject(notOfThis);
  });

  it("says so when the person refused at the provider", async () => {
    const reply = await browser.signIn("refuse");
    expect(reply).toMatchObject(refused("The identity provider did not sign you in: access_denied"));
    expect(cookiesOf(reply.headers)).not.toHaveProperty("app_access_token");
  });

  it("repeats nothing of a provider's error but its code", async () => {
    const { address, cookie } = await browser.begin();
    const state = address.searchParams.get("state");
    const parameters = { state, error: "<b>call 555</b>", error_description: "now", iss: provider.issuer };
    expect(await browser.comeBack(altered(callbackUri(), parameters), cookie)).toMatchObject(
      refused("The identity provider did not sign you in: error"),
    );
  });
});

describe("an id token", () => {
  it("with another nonce is rejected", async () => {
    const { address, cookie } = await browser.begin();
    const back = await provider.visit(altered(address, { nonce: "replayed" }), someone());
    expect(await browser.comeBack(back, cookie)).toMatchObject(notOfThis);
    const { rows } = await world.deps.db.execute(
      sql`select subject_id, details from audit_events where action = 'sign_in.failed' order by id desc limit 1`,
    );
    expect(rows).toEqual([{ subject_id: null, details: { provider: "campus", status: 400 } }]);
  });

  /** Changes the claims but keeps the signature, which becomes invalid. */
  const withClaims = (changes: object) => (tokens: { id_token: string }) => {
    const [header, payload = "", signature] = tokens.id_token.split(".");
    const claims = { ...JSON.parse(Buffer.from(payload, "base64url").toString()), ...changes };
    const changed = Buffer.from(JSON.stringify(claims)).toString("base64url");
    tokens.id_token = [header, changed, signature].join(".");
  };

  it.each([
    ["for another client", { aud: "another" }],
    ["from another issuer", { iss: "https://evil.example" }],
    ["that has expired", { exp: 1 }],
    ["that names another subject", { sub: "someone-else" }],
    ["whose signature does not fit", { email: "victim@example.edu", email_verified: true }],
  ])("%s is rejected", async (_, changes) => {
    provider.tamper = withClaims(changes);
    expect(await browser.signIn(someone())).toMatchObject(notOfThis);
  });

  it("without a signature is rejected", async () => {
    provider.tamper = (tokens) => {
      const [, payload] = tokens.id_token.split(".");
      tokens.id_token = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
    };
    expect((await browser.signIn(someone())).status).toBe(400);
  });

  it("that names the e-mail address itself is enough", async () => {
    const ofWordy = browserOf(world, () => wordy);
    const { address, cookie } = await ofWordy.begin("/", "wordy");
    const person = someone();
    const reply = await ofWordy.comeBack(await wordy.visit(address.href, person), cookie);
    const { app_access_token } = cookiesOf(reply.headers);
    const headers = { authorization: `Bearer ${app_access_token}` };
    expect((await world.as().get("/users/me", { headers })).body.email).toBe(person.email);
  });
});

describe("a provider that calls itself by another's name", () => {
  it("signs in no one, and receives no sign-ins", async () => {
    const issuer = provider.issuer;
    const metadata = {
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      jwks_uri: `${issuer}/jwks`,
    };
    const server = createPatientServer((_, response) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(metadata)),
    );
    await new Promise<void>((resolve) => server.listen(latePort, "127.0.0.1", resolve));
    const reply = await world.as().get("/auth/oidc/absent/login");
    expect(reply).toMatchObject(unreachable);
    expect(reply.headers.get("location")).toBeNull();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("an unreachable provider", () => {
  it("is a 503, before a cookie is set", async () => {
    const reply = await world.as().get("/auth/oidc/absent/login");
    expect(reply).toMatchObject(unreachable);
    expect(reply.headers.get("retry-after")).toBe("5");
    expect(reply.headers.getSetCookie()).toEqual([]);
  });

  it("is asked again at the next sign-in", async () => {
    const late = await startIdentityProvider({ redirectUri: callbackUri("absent"), port: latePort });
    expect((await browser.begin("/", "absent")).address.origin).toBe(late.issuer);
    await late.close();
  });

  it("is a 503 also if it fails before the callback", async () => {
    const { address, cookie } = await browser.begin("/", "leaving");
    const back = await leaving.visit(address.href, someone());
    await leaving.close();
    expect(await browser.comeBack(back, cookie)).toMatchObject(unreachable);
  });
});
