import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { renewToolKeys } from "../../../../lib/integrations/lti/keys.ts";
import { callPlatformService, type ServiceRequest } from "../../../../lib/integrations/lti/service-call.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../../../support/lti-platform-stand-in.ts";
import type { Fault } from "../../../support/lti-services-stand-in.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const moment = Date.parse("2026-03-10T12:00:00Z");

let lms: LtiPlatformStandIn;
beforeAll(async () => {
  await renewToolKeys(world.deps);
  const keys = await world.app.request("http://localhost/lti/jwks");
  lms = await startLtiPlatform();
  lms.services.state.toolKeys = (await keys.json()) as typeof lms.services.state.toolKeys;
});
afterAll(() => lms.close());

let people = 0;
let clients = 0;
let platform: { client_id: string; auth_token_url: string };
beforeEach(() => {
  world.setNow(new Date(moment));
  clients += 1;
  platform = { client_id: lms.clientId, auth_token_url: `${lms.issuer}/token` };
  Object.assign(lms.services.state, {
    ...{ tokenFault: undefined, expiresIn: 3600, scoreFault: () => undefined, retryAfter: undefined },
  });
  lms.services.state.tokens.clear();
  lms.services.state.tokensAsked.length = 0;
});

const score = "https://purl.imsglobal.org/spec/lti-ags/scope/score";

const someoneElse = () => {
  people += 1;
  return `person-${people}`;
};

/** Posts a score for another person each time. */
const post = (changes: Partial<ServiceRequest> = {}) =>
  callPlatformService(world.deps, platform, {
    address: `${lms.issuer}/lineitems/1/scores`,
    scope: score,
    method: "POST",
    accept: "application/json",
    contentType: "application/vnd.ims.lis.v1.score+json",
    body: JSON.stringify({
      userId: someoneElse(),
      timestamp: new Date(moment).toISOString(),
      activityProgress: "Completed",
      gradingProgress: "FullyGraded",
    }),
    ...changes,
  });

const asked = () => lms.services.state.tokensAsked.length;

describe("a token of a platform", () => {
  it("is requested once by concurrent callers, signed by the tool's key, and cached for its lifetime", async () => {
    world.setNow(new Date(moment + 10_000_000));
    const answers = await Promise.all([post(), post(), post()]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    await post();
    expect(asked()).toBe(1);
    const [{ claims, scope } = { claims: {}, scope: "" }] = lms.services.state.tokensAsked;
    expect(scope).toBe(score);
    expect(claims).toMatchObject({ iss: "learning", sub: "learning", aud: `${lms.issuer}/token` });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
    world.setNow(new Date(moment + 10_000_000 + 3_580_000));
    await post();
    expect(asked()).toBe(2);
  });

  it.each([
    ["a text", "60"],
    ["nothing", undefined],
    ["nonsense", "soon"],
  ])("is accepted if its lifetime is %s", async (_, expiresIn) => {
    lms.services.state.expiresIn = expiresIn;
    platform.auth_token_url += `?${clients}`;
    await expect(post()).rejects.toThrow("it gave no token"); // the audience is the registered address
    platform.auth_token_url = `${lms.issuer}/token`;
    world.setNow(new Date(moment + 20_000_000 + clients * 10_000_000));
    expect((await post()).status).toBe(204);
  });

  it("that is rejected is requested again, once", async () => {
    world.setNow(new Date(moment + 200_000_000));
    await post();
    lms.services.state.tokens.clear();
    expect((await post()).status).toBe(204);
    expect(asked()).toBe(2);
    lms.services.state.scoreFault = () => 401;
    await expect(post()).rejects.toMatchObject({ kind: "refused", status: 401, message: "it answered 401" });
    expect(asked()).toBe(3);
  });

  it.each<[Fault, string]>([
    [400, "it gave no token, and answered 400"],
    [503, "it gave no token, and answered 503"],
    ["html", "it gave no token, and answered 200"],
    ["redirect", "it gave no token, and answered 301"],
    ["reset", "it could not be reached"],
  ])("is waited for where the platform answers with %s", async (fault, message) => {
    world.setNow(new Date(moment + 300_000_000 + clients * 10_000_000));
    lms.services.state.tokenFault = fault;
    const expected = { kind: "later", isAway: true, message: expect.stringContaining(message) };
    await expect(post()).rejects.toMatchObject(expected);
    lms.services.state.tokenFault = undefined;
    expect((await post()).status).toBe(204);
  });
});

describe("a service of a platform", () => {
  it.each<[Fault, object]>([
    [400, { kind: "refused", message: "it answered 400" }],
    [403, { kind: "refused", message: "it answered 403" }],
    [404, { kind: "refused", message: "it answered 404" }],
    [409, { kind: "refused", status: 409 }],
    [422, { kind: "refused", message: "it answered 422" }],
    ["redirect", { kind: "refused", message: "it answered 301" }],
    [429, { kind: "later", isAway: true, retryAfter: 90 }],
    [500, { kind: "later", isAway: false, status: 500 }],
    [503, { kind: "later", retryAfter: 90 }],
    ["html", { kind: "later", message: "it returned a web page" }],
    ["reset", { kind: "later", isAway: true }],
  ])("that answers with %s", async (fault, expected) => {
    lms.services.state.retryAfter = "90";
    lms.services.state.scoreFault = () => fault;
    await expect(post()).rejects.toMatchObject(expected);
  });

  it("that does not respond in time is retried", async () => {
    lms.services.state.scoreFault = () => "slow";
    const expected = { kind: "later", isAway: true, message: "it did not answer in time" };
    // biome-ignore lint/plugin: no answer ever comes, before the timeout or after it
    await expect(post({ timeoutMs: 50 })).rejects.toMatchObject(expected);
  });

  it("that is missing is retried, and an invalid address never", async () => {
    await expect(post({ address: "http://127.0.0.1:1/scores" })).rejects.toMatchObject({
      kind: "later",
      message: expect.stringContaining("it could not be reached"),
    });
    await expect(post({ address: "scores" })).rejects.toMatchObject({ kind: "refused" });
  });

  it.each([
    "https://127.0.0.1/scores",
    "https://[::1]/scores",
    "https://169.254.169.254/",
    "http://example.org/",
  ])("is not called at %s by a deployment", async (address) => {
    const config = { ...world.deps.config, ENVIRONMENT: "production" as const };
    const deployed = { ...world.deps, config };
    const request = { address, scope: score, accept: "application/json" };
    await expect(
      callPlatformService(deployed, { ...platform, auth_token_url: address }, request),
    ).rejects.toMatchObject({
      kind: "refused",
      message: "its address is in a private network, or not https",
    });
  });
});
