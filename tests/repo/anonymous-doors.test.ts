import type { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { allEndpointGroups } from "../../functions/groups.ts";
import { openApiPath } from "../../lib/http/paths.ts";
import { hashOfToken } from "../../lib/identity/accounts/one-time-tokens.ts";
import { sealToken } from "../../lib/identity/auth/sealing.ts";
import { FairLimit } from "../../lib/platform/async/fair-limit.ts";
import { fairLimits, type SharedResource } from "../../lib/platform/async/fair-limits.ts";
import { currentRequest, runInRequestContext } from "../../lib/platform/async/request-context.ts";
import { invitations } from "../../schema/db/courses/invitations.ts";
import { oneTimeTokens } from "../../schema/db/identity/one-time-tokens.ts";
import { openSamlUniversity } from "../api/identity/auth/saml-support.ts";
import { ltiBrowser } from "../support/lti-browser.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../support/lti-platform-stand-in.ts";
import {
  assertionClaims,
  issuer,
  registerTool,
  signAsTool,
  tokenForm,
  toolServer,
} from "../support/lti-tool.ts";
import { makersOf } from "../support/makers.ts";
import { openWorld } from "../support/world.ts";

const anonymous = allEndpointGroups
  .flatMap((group) =>
    group.endpoints.map(({ contract }) => ({
      name: `${contract.method.toUpperCase()} ${openApiPath("", group, contract)}`,
      prefix: group.atRoot ? "" : "/api/v1",
      contract,
    })),
  )
  .filter(({ contract }) => ["anyone", "maybe signed in"].includes(contract.access.kind));

const onlyReads = ({ contract }: (typeof anonymous)[number]): boolean =>
  contract.method === "get" && contract.writes === undefined;

const resources = Object.keys(fairLimits) as SharedResource[];
/** Addresses of one subscriber, behind the same proxy as the other one. */
const flooding = (n: number) => `2001:db8:1:2::${(n + 1).toString(16)}`;
const isFlooding = (from: string | undefined) => from?.startsWith("2001:db8:1:2::");
const elsewhere = "203.0.113.7";
const proxy = "10.0.0.7";
const many = 12;

// A port without a server: discovery fails, but only after it had its turn.
const unreachable = "http://127.0.0.1:9";
const setting = { label: "Campus account", issuer: unreachable, client_id: "id", client_secret: "secret" };
const world = openWorld({
  OIDC_PROVIDERS: JSON.stringify([{ name: "gone", ...setting }]),
  TRUSTED_PROXIES: "10.0.0.0/8",
});
const make = makersOf(world);
const saml = openSamlUniversity(world);
let platform: LtiPlatformStandIn;
beforeAll(async () => {
  platform = await startLtiPlatform();
});
afterAll(() => platform.close());

type Sent = { path: string; body?: object; form?: Record<string, string>; cookie?: string; key?: string };

/** Sends a request from a network address through a proxy, with a forged hop before it. */
function send(from: string, method: string, { path, body, form, cookie, key }: Sent): Promise<Response> {
  const text = body ? JSON.stringify(body) : form && new URLSearchParams(form).toString();
  const type = body ? "application/json" : "application/x-www-form-urlencoded";
  const headers = {
    ...(text !== undefined && { "content-type": type }),
    ...(cookie && { cookie }),
    ...(key && { authorization: `Bearer ${key}` }),
    "x-forwarded-for": `192.0.2.200, ${from}`,
  };
  const request = new Request(`http://localhost${path}`, { method, headers, ...(text && { body: text }) });
  const socket = { remoteAddress: proxy };
  return Promise.resolve((world.app as Hono).fetch(request, { incoming: { socket } }));
}

const password = "correct horse";
const account = () => ({ email: `${make.unique("who")}@example.edu`, password, full_name: "Ada" });

async function linkOf(purpose: "password_reset" | "verify_email"): Promise<string> {
  const { id, email } = await make.person();
  const token = make.unique("token");
  const token_hash = hashOfToken(token);
  const expires_at = "2026-03-11T12:00:00.000Z";
  await world.deps.db.insert(oneTimeTokens).values({ user_id: id, purpose, token_hash, email, expires_at });
  return token;
}

async function invitation(): Promise<string> {
  const { id } = await make.university();
  const inviter = await make.holder("university_admin", id);
  const token = make.unique("token");
  const at = { created_at: "2026-03-10T11:00:00.000Z", expires_at: "2026-03-17T12:00:00.000Z" };
  const email = `${make.unique("invited")}@example.edu`;
  const offer = { university_id: id, email, role: "STUDENT" as const, invited_by_user_id: inviter.id };
  await world.deps.db.insert(invitations).values({ ...offer, ...at, token_hash: hashOfToken(token) });
  return token;
}

async function launch(): Promise<Sent> {
  const { id } = await make.university();
  const admin = world.as(await make.holder("university_admin", id));
  const jwks_url = `${platform.issuer}/keys?${id}`;
  const { body } = await admin.post(`/universities/${id}/lti-platforms`, {
    ...platform.registration,
    jwks_url,
  });
  await admin.post(`/universities/${id}/lti-platforms/${body.id}/deployments`, { deployment_id: "1" });
  const browser = ltiBrowser(
    world,
    () => platform,
    () => id,
  );
  const begun = await browser.begin();
  const form = { challenge: "", state: begun.state, id_token: await browser.answerOf(begun) };
  return { path: `/lti/${id}/launch`, form, cookie: begun.cookie };
}

async function registrationLink(): Promise<Sent> {
  const { id } = await make.university();
  const admin = world.as(await make.holder("university_admin", id));
  const link = new URL((await admin.post(`/universities/${id}/lti-registrations`)).body.registration_url);
  const form = {
    ...Object.fromEntries(link.searchParams),
    openid_configuration: `${platform.issuer}/configuration`,
  };
  return { path: link.pathname, form };
}

/** A tool whose keys are read from the stand-in, at an address of its own. */
async function toolWithKeysElsewhere() {
  const { id } = await make.university();
  const admin = world.as(await make.holder("university_admin", id));
  const jwks_url = `${platform.issuer}/keys?tool-of-${id}`;
  return registerTool(world, admin, id, { jwks_url, public_jwks: undefined });
}

async function toolAssertion(): Promise<Sent> {
  const tool = await toolWithKeysElsewhere();
  const assertion = await signAsTool(tool, assertionClaims(world, tool));
  return { path: "/lti/tools/token", form: tokenForm(assertion) };
}

async function toolLinks(): Promise<Sent> {
  const { id, client_id, key } = await toolWithKeysElsewhere();
  const data = await sealToken(world.deps, "links of a tool of LTI", 3600, { tool_id: id, client_id });
  const claims = { ...assertionClaims(world, { client_id }), aud: issuer, nonce: make.unique("nonce") };
  const JWT = await signAsTool(
    { key },
    { ...claims, "https://purl.imsglobal.org/spec/lti-dl/claim/data": data },
  );
  return { path: "/lti/tools/links", form: { JWT } };
}

/** A tool's write, which needs no valid line item to take its turn. */
async function toolWrite(path: string, body?: object): Promise<Sent> {
  const { id } = await make.university();
  const admin = world.as(await make.holder("university_admin", id));
  const { authorization } = await toolServer(world, await registerTool(world, admin, id));
  const key = authorization.replace("Bearer ", "");
  return { path: `/lti/tools/offerings/1/line-items${path}`, key, ...(body && { body }) };
}

const score = {
  ...{ userId: "someone", timestamp: "2026-03-10T11:00:00.000Z" },
  ...{ activityProgress: "Completed", gradingProgress: "FullyGraded" },
};
const lineItem = { label: "Column", scoreMaximum: 10 };

const auth = "/api/v1/auth";
const certificates = "/api/v1/assessments/certificates";

async function certificate(): Promise<string> {
  const topic = await make.topic();
  const graduate = await make.person();
  await make.enrollment(graduate.id, topic.offering.id, "COMPLETED");
  const { body } = await world.as(graduate).get("/assessments/certificates/mine");
  return body[0].certificate_code;
}

/** For each operation with a share: a request that takes its turn, different each time. */
const doors: Record<string, () => Sent | Promise<Sent>> = {
  register: () => ({ path: `${auth}/register`, body: account() }),
  registerWithOnboarding: () => ({ path: `${auth}/register-with-onboarding`, body: account() }),
  login: () => ({ path: `${auth}/login`, body: account() }),
  askForPasswordReset: () => ({ path: `${auth}/password-reset`, body: { email: account().email } }),
  confirmPasswordReset: async () => ({
    path: `${auth}/password-reset/confirm`,
    body: { token: await linkOf("password_reset"), new_password: password },
  }),
  verifyEmail: async () => ({
    path: `${auth}/verify-email`,
    body: { token: await linkOf("verify_email"), password },
  }),
  acceptInvitationAnew: async () => ({
    path: `${auth}/invitations/accept`,
    body: { token: await invitation(), password, full_name: "Ada" },
  }),
  beginProviderLogin: () => ({ path: `${auth}/oidc/gone/login` }),
  finishProviderLogin: async () => {
    const { encryptOidcLogin } = await import("../../lib/identity/auth/pending-oidc-login.ts");
    const attempt = { provider: "gone", state: "s", nonce: "n", verifier: "v", redirect_to: "/" };
    const cookie = `app_login_s=${await encryptOidcLogin(world.deps, attempt)}`;
    return { path: `${auth}/oidc/gone/callback?state=s&code=c`, cookie };
  },
  beginSamlLogin: () => ({ path: `${auth}/saml/${saml.loginName}/login` }),
  finishSamlLogin: async () => {
    const begun = await saml.browser.begin();
    const SAMLResponse = await saml.browser.answer(begun, { sign: "none" });
    const form = { SAMLResponse, RelayState: begun.relayState };
    return { path: `${auth}/saml/${saml.loginName}/acs`, form, cookie: begun.cookie };
  },
  getCertificatePdf: async () => ({ path: `${certificates}/verify/${await certificate()}/pdf` }),
  getCertificateCredential: async () => ({
    path: `${certificates}/verify/${await certificate()}/credential`,
  }),
  getCertificateStatusList: () => ({ path: `${certificates}/status/1` }),
  finishLtiLaunch: launch,
  registerLtiPlatform: registrationLink,
  grantLtiToolAccess: toolAssertion,
  storeLtiToolScore: () => toolWrite("/1/scores", score),
  createLtiToolLineItem: () => toolWrite("", lineItem),
  updateLtiToolLineItem: () => toolWrite("/1", lineItem),
  deleteLtiToolLineItem: () => toolWrite("/1"),
  receiveLtiToolLinks: toolLinks,
};

type Turn = { resource: SharedResource; from: string | undefined };

/** Occupies every turn until `free` is called, and records the turns that start from then on. */
function holdTurns() {
  const { promise: freed, resolve: free } = Promise.withResolvers<void>();
  for (const resource of resources)
    for (let n = 0; n < fairLimits[resource].atOnce; n += 1)
      void runInRequestContext({ count: 0, duration_ms: 0, from: `192.0.2.${n}` }, () =>
        fairLimits[resource].run(() => freed),
      );
  const turns: Turn[] = [];
  const { run } = FairLimit.prototype;
  const spy = vi.spyOn(FairLimit.prototype, "run").mockImplementation(function (
    this: FairLimit,
    work,
    options,
  ) {
    const resource = resources.find((one) => fairLimits[one] === this) as SharedResource;
    const noted: typeof work = (turn) => {
      turns.push({ resource, from: currentRequest()?.from });
      return work(turn);
    };
    return run.call(this, noted, options) as never;
  });
  onTestFinished(() => {
    spy.mockRestore();
    free();
  });
  return { turns, free };
}

const waiting = () => Object.fromEntries(resources.map((one) => [one, fairLimits[one].waiting]));
const none = Object.fromEntries(resources.map((one) => [one, 0]));

describe("anonymous operations", () => {
  it("declare what they share, unless they only read", () => {
    const undeclared = anonymous.filter((one) => !onlyReads(one) && one.contract.shares === undefined);
    expect(undeclared.map(({ name }) => name)).toEqual([]);
  });

  it("with a share have a request in this test", () => {
    const sharing = anonymous.filter(({ contract }) => (contract.shares ?? "nothing") !== "nothing");
    expect(sharing.map(({ contract }) => contract.id).toSorted()).toEqual(Object.keys(doors).toSorted());
  });

  const sharing = anonymous.flatMap((one) => {
    const door = doors[one.contract.id];
    return door ? [{ ...one, door }] : [];
  });

  it.each(sharing)(
    "$name: a flood from one network lets another one sign in next",
    async ({ contract, door }) => {
      const resource = contract.shares as SharedResource;
      const { email } = await make.person();
      const sent: Sent[] = [];
      for (let n = 0; n < many; n += 1) sent.push(await door());
      const { turns, free } = holdTurns();
      const flood = sent.map((one, n) => send(flooding(n), contract.method.toUpperCase(), one));
      // Callers of the same provider share a discovery.
      const isShared = resource === "outbound";
      await expect.poll(() => fairLimits[resource].waiting).toBeGreaterThanOrEqual(isShared ? 1 : many);
      const queued = fairLimits[resource].waiting;
      expect(waiting()).toEqual({ ...none, [resource]: queued });

      const other = send(elsewhere, "POST", { path: `${auth}/login`, body: { email, password } });
      await expect.poll(() => fairLimits.processor.waiting).toBe((resource === "processor" ? queued : 0) + 1);
      free();
      expect((await other).status).toBe(401);
      await Promise.all(flood);
      const ofProcessor = turns.filter((one) => one.resource === "processor").map(({ from }) => from);
      expect(ofProcessor.indexOf(elsewhere)).toBeLessThanOrEqual(1);
      expect(
        turns.filter((one) => one.resource === resource && isFlooding(one.from)).length,
      ).toBeGreaterThanOrEqual(queued);
    },
  );

  it("unknown API keys wait for a turn before they are looked up", async () => {
    const { turns, free } = holdTurns();
    const keys = Array.from({ length: many }, (_, n) => `lk_${n + 1}_${"a".repeat(43)}`);
    const flood = keys.map((key, n) => send(flooding(n), "GET", { path: "/scim/v2/Users", key }));
    await expect.poll(() => fairLimits.database.waiting).toBe(many);
    const other = send(elsewhere, "GET", { path: "/scim/v2/Users", key: `lk_99_${"b".repeat(43)}` });
    await expect.poll(() => fairLimits.database.waiting).toBe(many + 1);
    free();
    expect((await other).status).toBe(401);
    await Promise.all(flood);
    expect(turns.findIndex(({ from }) => from === elsewhere)).toBeLessThanOrEqual(1);
  });

  const reading = anonymous.filter(({ contract }) => (contract.shares ?? "nothing") === "nothing");

  it.each(reading)("$name answers while every turn is taken", async ({ name, prefix, contract }) => {
    holdTurns();
    const path = name.slice(name.indexOf(" ") + 1).replaceAll(/\{\w+\}/g, "1");
    const method = contract.method.toUpperCase();
    const sent = { path: `${prefix}${path}`, ...(method !== "GET" && { body: {} }) };
    expect((await send(flooding(0), method, sent)).status).toBeLessThan(500);
    expect(waiting()).toEqual(none);
  });
});
