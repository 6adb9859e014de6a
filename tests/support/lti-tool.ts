import { exportJWK, type JWTPayload, SignJWT } from "jose";
import { expect } from "vitest";
import { renewToolKeys } from "../../lib/integrations/lti/keys.ts";
import { scopesGrantedToTools } from "../../lib/integrations/lti/service-scopes.ts";
import type { Client, Person } from "./client.ts";
import type { makersOf } from "./makers.ts";
import { takeRsaKey } from "./rsa-keys.ts";
import type { World } from "./world.ts";

/** The service's address in requests to `world.app`, and so its issuer. */
export const issuer = "http://localhost";

const claim = "https://purl.imsglobal.org/spec/lti/claim/";
export const ags = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint";
export const nrps = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice";
export const ltiClaim = (name: string): string => claim + name;

export type ToolKey = Awaited<ReturnType<typeof takeRsaKey>>;

/** A registered tool with its key, and the browser and server that use it. */
export type LtiToolFixture = Awaited<ReturnType<typeof registerTool>>;

export const toolAddresses = {
  login_url: "https://tool.example.com/login?keep=1",
  launch_url: "https://tool.example.com/launch",
  redirect_uris: ["https://tool.example.com/launch"],
};

export async function registerTool(world: World, admin: Client, universityId: number, changes: object = {}) {
  await renewToolKeys(world.deps);
  const key = await takeRsaKey(2048);
  const jwk = { ...(await exportJWK(key.publicKey)), alg: "RS256", use: "sig", kid: "tool" };
  const { status, body } = await admin.post(`/universities/${universityId}/lti-tools`, {
    ...{ name: "Tool", ...toolAddresses, jwks_url: null, public_jwks: { keys: [jwk] } },
    ...changes,
  });
  expect([status, body.detail]).toEqual([201, undefined]);
  return { ...(body as { id: number; client_id: string; deployment_ids: string[] }), key };
}

export const secondsOf = (moment: string): number => Date.parse(moment) / 1000;

/** Signs with the tool's key; claims of `changes` that are undefined are left out. */
export function signAsTool({ key }: Pick<LtiToolFixture, "key">, claims: JWTPayload, kid = "tool") {
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(key.privateKey);
}

export async function send(world: World, method: string, address: string, init: RequestInit = {}) {
  const { pathname, search } = new URL(address, issuer);
  const reply = await world.app.request(issuer + pathname + search, { method, ...init });
  const text = await reply.text();
  const isJson = reply.headers.get("content-type")?.includes("json");
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
}

export const sendForm = (world: World, address: string, form: Record<string, string>, headers = {}) =>
  send(world, "POST", address, {
    body: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });

/** Opens the launch in a browser: the tool's login request, and the cookie. */
export async function openLaunch(world: World, launchUrl: string) {
  const reply = await send(world, "GET", launchUrl);
  const login = reply.status === 302 ? new URL(reply.headers.get("location") ?? "") : undefined;
  const [cookie = ""] = (reply.headers.getSetCookie()[0] ?? "").split(";");
  return { ...reply, login, cookie };
}

/** The tool's authorization request after its login initiation. */
export function authorizationOf(login: URL, redirect_uri = toolAddresses.redirect_uris[0] ?? "") {
  const asked = login.searchParams;
  return {
    scope: "openid",
    response_type: "id_token",
    response_mode: "form_post",
    prompt: "none",
    client_id: asked.get("client_id") ?? "",
    redirect_uri,
    login_hint: asked.get("login_hint") ?? "",
    lti_message_hint: asked.get("lti_message_hint") ?? "",
    nonce: "nonce-1",
    state: 'state "1"',
  };
}

/** The form of the page that posts the id token. */
export function postedForm(html: string) {
  const field = (name: string) =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1]?.replaceAll("&quot;", '"');
  return { action: /action="([^"]*)"/.exec(html)?.[1], id_token: field("id_token"), state: field("state") };
}

/** A whole launch: the claims that the tool receives. */
export async function launchedClaims(world: World, launchUrl: string): Promise<JWTPayload> {
  const { login, cookie } = await openLaunch(world, launchUrl);
  if (!login) throw new Error("The launch was not started");
  const query = new URLSearchParams(authorizationOf(login));
  const { status, text } = await send(world, "GET", `/lti/tools/authorize?${query}`, { headers: { cookie } });
  expect(status).toBe(200);
  const token = postedForm(text).id_token ?? "";
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

let assertions = 0;

export const assertionClaims = (
  world: World,
  { client_id }: Pick<LtiToolFixture, "client_id">,
): JWTPayload => {
  const iat = Math.floor(world.deps.now().getTime() / 1000);
  assertions += 1;
  return {
    ...{ iss: client_id, sub: client_id, aud: `${issuer}/lti/tools/token` },
    ...{ iat, exp: iat + 300, jti: `assertion-${assertions}` },
  };
};

export const tokenForm = (assertion: string, scope = scopesGrantedToTools.join(" ")) => ({
  grant_type: "client_credentials",
  client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  client_assertion: assertion,
  scope,
});

/** The tool's server with an access token. */
export async function toolServer(world: World, tool: LtiToolFixture, scope?: string) {
  const assertion = await signAsTool(tool, assertionClaims(world, tool));
  const granted = await sendForm(world, "/lti/tools/token", tokenForm(assertion, scope));
  expect([granted.status, granted.body?.error_description]).toEqual([200, undefined]);
  const authorization = `Bearer ${granted.body.access_token}`;
  return {
    authorization,
    get: (address: string) => send(world, "GET", address, { headers: { authorization } }),
    lineItem: (method: "POST" | "PUT" | "DELETE", address: string, item?: object) =>
      send(world, method, address, {
        ...(item && { body: JSON.stringify(item) }),
        headers: { authorization, "content-type": "application/vnd.ims.lis.v2.lineitem+json" },
      }),
    score: (address: string, score: object) =>
      send(world, "POST", `${address}/scores`, {
        body: JSON.stringify(score),
        headers: { authorization, "content-type": "application/vnd.ims.lis.v1.score+json" },
      }),
  };
}

/** A course with an offering, a graded item of a new tool, a teacher and a learner. */
export async function toolCourse(
  world: World,
  make: ReturnType<typeof makersOf>,
  { tool: changes = {}, data = {} }: { tool?: object; data?: object } = {},
) {
  const { university, course, offering, module } = await make.topic();
  const admin = world.as(await make.holder("university_admin", university.id));
  const tool = await registerTool(world, admin, university.id, changes);
  const data_json = { lti_tool_id: tool.id, max_points: 20, ...data };
  const item = await make.contentItem(module, university.id, { type: "external_tool", data_json });
  const learner = await make.person();
  await make.enrollment(learner.id, offering.id);
  const teacher = await make.holder("instructor", university.id);
  const launch = (person: Person) =>
    world.as(person).get(`/offerings/${offering.id}/external-tools/${item.id}/launch`);
  return { university, course, offering, module, admin, tool, item, learner, teacher, launch };
}
