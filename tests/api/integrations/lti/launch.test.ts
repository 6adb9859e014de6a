import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ltiBrowser } from "../../../support/lti-browser.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../../../support/lti-platform-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";

let platform: LtiPlatformStandIn;
let university: number;
let path: string;
let admin: ReturnType<typeof world.as>;

const browser = ltiBrowser(
  world,
  () => platform,
  () => university,
);

beforeAll(async () => {
  platform = await startLtiPlatform();
  university = (await make.university()).id;
  admin = world.as(await make.holder("university_admin", university));
  const all = `/universities/${university}/lti-platforms`;
  path = `${all}/${(await admin.post(all, platform.registration)).body.id}`;
  await admin.post(`${path}/deployments`, { deployment_id: "1" });
});
afterAll(() => platform.close());
beforeEach(() => world.setNow(moment));

const claim = (name: string, value: unknown) => ({
  [`https://purl.imsglobal.org/spec/lti/claim/${name}`]: value,
});
const seconds = Date.parse(moment) / 1000;

describe("a login", () => {
  it("leads to the platform with a nonce and a state, and stores nothing", async () => {
    const { address, cookie } = await browser.begin();
    expect(address.href).toContain(`${platform.issuer}/auth?keep=this&`);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      scope: "openid",
      response_type: "id_token",
      response_mode: "form_post",
      prompt: "none",
      client_id: platform.clientId,
      redirect_uri: browser.target(),
      login_hint: "person-1",
      lti_message_hint: "hint-1",
    });
    expect(cookie).toMatch(/^lti_launch_[\w-]{12}=[\w-]{32}$/);
  });

  it("stores its key in a cookie that a frame may have, for the launch only", async () => {
    const answer = await browser.login();
    const [cookie] = answer.headers.getSetCookie();
    for (const part of ["Secure", "HttpOnly", "SameSite=None", "Partitioned", "Max-Age=600"])
      expect(cookie).toContain(part);
    expect(cookie).toContain(`Path=/lti/${university}/launch`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("may be a form post, and without a client id if one is registered", async () => {
    expect((await browser.login({}, "POST")).status).toBe(302);
    expect((await browser.login({ client_id: undefined })).status).toBe(302);
    const all = `/universities/${university}/lti-platforms`;
    const { body } = await admin.post(all, { ...platform.registration, client_id: "second" });
    expect(await browser.pageOf(browser.login({ client_id: undefined }))).toMatchObject({
      status: 400,
      html: expect.stringContaining("Several clients with this issuer"),
    });
    expect((await browser.login()).status).toBe(302);
    await admin.delete(`${all}/${body.id}`);
  });

  it.each([
    ["an unknown issuer", { iss: "https://nobody.example" }, 404, "No LMS with this issuer"],
    ["an unknown client", { client_id: "nobody" }, 404, "No LMS with this issuer"],
    ["no issuer", { iss: undefined }, 400, "lacks a required"],
    ["an issuer that no database stores", { iss: "\u0000" }, 400, "lacks a required"],
    ["no hint of who it is", { login_hint: undefined }, 400, "lacks a required"],
    ["a frame that is no name", { lti_storage_target: "a b" }, 400, "lacks a required"],
    [
      "a target elsewhere",
      { target_link_uri: "https://evil.example/lti/1/launch" },
      400,
      "does not belong to this tool",
    ],
    [
      "a target that only begins so",
      { target_link_uri: "http://localhost.evil.example/" },
      400,
      "does not belong to this tool",
    ],
    ["no target", { target_link_uri: undefined }, 400, "lacks a required"],
  ])("with %s is refused with a page", async (_, changes, status, words) => {
    const page = await browser.pageOf(browser.login(changes));
    expect(page).toMatchObject({ status, html: expect.stringContaining(words) });
    expect(page.html).toContain(`Request ${page.headers.get("x-request-id")}`);
    expect(page.headers.getSetCookie()).toEqual([]);
  });
});

describe("a launch", () => {
  it("that is valid leads to a page about the missing connection, in the platform's frame only", async () => {
    const { status, html, headers } = await browser.launch();
    expect(status).toBe(200);
    expect(html).toContain("“Computing &lt;1&gt;” in LMS of the campus is not connected to a course here.");
    expect(headers.get("content-security-policy")).toContain(`frame-ancestors 'self' ${platform.issuer}`);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.getSetCookie()[0]).toMatch(/^lti_launch_[\w-]+=; Max-Age=0/);
  });

  it("may name this tool among several audiences, if it is the one that is meant", async () => {
    const aud = [platform.clientId, "another"];
    expect((await browser.launch({ aud: [platform.clientId] })).status).toBe(200);
    expect((await browser.launch({ aud, azp: platform.clientId })).status).toBe(200);
  });

  const refusals: [string, Parameters<typeof browser.launch>, number, string][] = [
    ["signed with another key", [{}, { key: "unknown" }], 400, "not signed with one of its keys"],
    ["signed with a key that is not published", [{}, { key: "unpublished" }], 400, "not signed"],
    ["that names no key", [{}, { kid: "" }], 400, "not signed"],
    ["that is not signed (alg none)", [{}, { alg: "none" }], 400, "not signed"],
    ["signed with the public key as a secret (HS256)", [{}, { alg: "HS256" }], 400, "not signed"],
    ["signed by another algorithm", [{}, { alg: "ES256" }], 400, "not signed"],
    ["of another issuer", [{ iss: "https://other.example" }], 400, "another sender"],
    ["for another tool", [{ aud: "another" }], 400, "another recipient"],
    ["for several tools, without azp", [{ aud: ["learning", "another"] }], 400, "another recipient"],
    ["for several tools, with another azp", [{ aud: ["learning", "b"], azp: "b" }], 400, "another recipient"],
    ["for this tool, with another azp", [{ azp: "b" }], 400, "another recipient"],
    ["that has expired", [{ exp: seconds - 1 }], 400, "has expired"],
    ["without an end", [{ exp: undefined }], 400, "lacks a required"],
    ["that does not hold yet", [{ nbf: seconds + 600 }], 400, "dated in the future"],
    ["from the future", [{ iat: seconds + 301, exp: seconds + 900 }], 400, "dated in the future"],
    ["of long ago", [{ iat: seconds - 301 }], 400, "older than five minutes"],
    ["with another nonce", [{ nonce: "another" }], 400, "belongs to another launch"],
    ["without a nonce", [{ nonce: undefined }], 400, "belongs to another launch"],
    ["of LTI 1.1", [claim("version", "LTI-1p0")], 400, "another version"],
    ["without a version", [claim("version", undefined)], 400, "another version"],
    ["for something else", [claim("message_type", "LtiSubmissionReviewRequest")], 400, "does not offer"],
    ["without a message", [claim("message_type", undefined)], 400, "does not offer"],
    [
      "to a target elsewhere",
      [claim("target_link_uri", "https://evil.example/")],
      400,
      "does not belong to this tool",
    ],
    ["without a deployment", [claim("deployment_id", undefined)], 400, "lacks a required"],
    ["from no course", [claim("context", undefined)], 400, "the course that you come from"],
    ["without a link", [claim("resource_link", undefined)], 400, "lacks a required"],
    ["of nobody", [{ sub: undefined }], 400, "lacks a required"],
    ["of someone whom no database stores", [{ sub: "a\u0000" }], 400, "lacks a required"],
  ];
  it.each(refusals)("%s is rejected with a page", async (_, [changes, signing], status, words) => {
    const page = await browser.launch(changes, signing);
    expect(page).toMatchObject({ status, html: expect.stringContaining(words) });
    expect(page.html).toContain(`Request ${page.headers.get("x-request-id")}`);
    expect(page.headers.get("content-security-policy")).not.toContain("frame-ancestors");
    expect(page.html).not.toContain("eyJ");
  });

  it.each([
    ["without a state", { state: "" }],
    ["with a state that is none", { state: "state" }],
    ["without a token", { id_token: "" }],
  ])("%s is rejected with a page", async (_, changes) => {
    const begun = await browser.begin();
    const fields = { state: begun.state, id_token: await browser.answerOf(begun), ...changes };
    expect((await browser.comeBack(fields, begun.cookie)).status).toBeGreaterThanOrEqual(400);
    const json = await world.app.request(browser.target(), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    });
    expect(json.status).toBe(400);
  });

  it("that the platform rejects shows that, and none of the platform's text", async () => {
    const { state, cookie } = await browser.begin();
    const page = await browser.comeBack({ state, error: "login_required<script>" }, cookie);
    expect(page).toMatchObject({ status: 400, html: expect.stringContaining("did not sign you in") });
    expect(page.html).not.toContain("login_required");
  });

  it("over ten minutes after its login is rejected, and one of another university", async () => {
    const begun = await browser.begin();
    world.setNow(new Date(Date.parse(moment) + 601_000));
    const late = { state: begun.state, id_token: await browser.answerOf(begun) };
    expect(await browser.comeBack(late, begun.cookie)).toMatchObject({
      status: 400,
      html: expect.stringContaining("over ten minutes ago"),
    });
    world.setNow(moment);
    const other = (await make.university()).id;
    const fields = { state: begun.state, id_token: await browser.answerOf(begun) };
    const answer = await world.app.request(`http://localhost/lti/${other}/launch`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", cookie: begun.cookie },
      body: new URLSearchParams(fields).toString(),
    });
    expect(answer.status).toBe(400);
  });

  it("with another browser's state only offers to start in a separate window", async () => {
    const [one, another] = [await browser.begin(), await browser.begin()];
    const fields = { state: one.state, id_token: await browser.answerOf(one) };
    for (const cookie of ["", another.cookie, `${one.cookie.split("=")[0]}=guessed`]) {
      const page = await browser.comeBack(fields, cookie);
      expect(page).toMatchObject({
        status: 403,
        html: expect.stringContaining("started in another browser"),
      });
      const [, again = ""] = /href="([^"]+)" target="_blank"/.exec(page.html) ?? [];
      const link = new URL(again.replaceAll("&amp;", "&"));
      expect(Object.fromEntries(link.searchParams)).toEqual(Object.fromEntries(browser.asked()));
      expect((await world.app.request(link.href)).status).toBe(302);
    }
    expect((await browser.comeBack(fields, one.cookie)).status).toBe(200);
  });

  it("is taken once, also of many at the same time", async () => {
    const begun = await browser.begin();
    const fields = { state: begun.state, id_token: await browser.answerOf(begun) };
    const pages = await Promise.all(Array.from({ length: 8 }, () => browser.comeBack(fields, begun.cookie)));
    expect(pages.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(400)]);
    const again = await browser.comeBack(fields, begun.cookie);
    expect(again.html).toContain("was already used");
  });

  it("from an unknown deployment waits, is recorded once, and counts after an admission", async () => {
    const from = claim("deployment_id", "new");
    const pages = await Promise.all([browser.launch(from), browser.launch(from), browser.launch(from)]);
    for (const page of pages)
      expect(page).toMatchObject({
        status: 403,
        html: expect.stringContaining("approval by an administrator"),
      });
    const { body } = await admin.get(`${path}/deployments`);
    const waiting = body.filter(({ deployment_id }: { deployment_id: string }) => deployment_id === "new");
    expect(waiting).toMatchObject([{ admitted_at: null }]);
    const listed = await admin.get(path.replace(/\/\d+$/, ""));
    expect(listed.body[0].waiting_deployments).toBe(1);
    await admin.post(`${path}/deployments`, { deployment_id: "new" });
    expect((await browser.launch(from)).status).toBe(200);
  });

  it("records twenty waiting deployments at most, also concurrently", async () => {
    const from = Array.from({ length: 24 }, (_, n) => claim("deployment_id", `many-${n}`));
    await Promise.all(from.map((changes) => browser.launch(changes)));
    const listed = await admin.get(path.replace(/\/\d+$/, ""));
    expect(listed.body[0].waiting_deployments).toBe(20);
  });

  it("of a removed platform, or of an inactive university, is rejected", async () => {
    const all = `/universities/${university}/lti-platforms`;
    const second = await admin.post(all, { ...platform.registration, client_id: "removed" });
    const begun = await browser.begin({ client_id: "removed" });
    await admin.delete(`${all}/${second.body.id}`);
    const fields = { state: begun.state, id_token: await browser.answerOf(begun) };
    expect((await browser.comeBack(fields, begun.cookie)).status).toBe(404);
  });

  it("is counted by its outcome", async () => {
    await browser.launch({ nonce: "another" });
    await world.deps.metrics.report();
    const text = await (await world.app.request("/metrics")).text();
    expect(text).toMatch(/lti_launches_total\{outcome="nonce"\} [1-9]/);
    expect(text).toMatch(/lti_launches_total\{outcome="unbound"\} [1-9]/);
  });
});

describe("a browser without cookies in frames", () => {
  const data = (html: string) =>
    Object.fromEntries(
      [...html.matchAll(/data-(\w+)="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value?.replaceAll("&amp;", "&"),
      ]),
    );

  /** Expects that the page's script matches its policy. */
  function expectOwnScript({ html, headers }: { html: string; headers: Headers }) {
    const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? [];
    const hash = createHash("sha256").update(script).digest("base64");
    expect(headers.get("content-security-policy")).toContain(`script-src 'sha256-${hash}'`);
    new Function(script);
  }

  it("stores the key in the platform's storage, and launches with it", async () => {
    const begun = await browser.pageOf(browser.login({ lti_storage_target: "post_message_forwarding" }));
    expect(begun.status).toBe(200);
    expectOwnScript(begun);
    const kept = data(begun.html);
    expect(kept).toMatchObject({ frame: "post_message_forwarding", origin: platform.issuer });
    const address = new URL(kept["address"] ?? "");
    const [state = "", nonce = ""] = ["state", "nonce"].map((name) => address.searchParams.get(name) ?? "");
    const id_token = await browser.answerOf({ address, state, nonce, cookie: "" });

    const asking = await browser.sendFirst({ state, id_token });
    expect(asking.status).toBe(200);
    expectOwnScript(asking);
    expect(data(asking.html)).toEqual({
      frame: "post_message_forwarding",
      origin: platform.issuer,
      name: kept["name"],
    });
    expect(asking.headers.get("content-security-policy")).toContain("form-action 'self'");
    expect(asking.html).toContain(`value="${id_token}"`);

    const status = async (storage_key: string, from: "same-origin" | "cross-site") =>
      (await browser.comeBack({ state, id_token, storage_key }, "", from)).status;
    expect(await status("", "same-origin")).toBe(403);
    expect(await status("guessed", "same-origin")).toBe(403);
    // The person who started the launch knows the key and could otherwise launch others as themselves.
    expect(await status(kept["key"] ?? "", "cross-site")).toBe(403);
    expect(await status(kept["key"] ?? "", "same-origin")).toBe(200);
  });
});
