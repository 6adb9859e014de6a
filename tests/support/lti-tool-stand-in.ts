import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, type JWTPayload, SignJWT } from "jose";
import { scopesGrantedToTools } from "../../lib/integrations/lti/service-scopes.ts";
import { ags, ltiClaim } from "./lti-tool.ts";
import { createPatientServer } from "./patient-server.ts";
import { takeRsaKey } from "./rsa-keys.ts";

const dl = "https://purl.imsglobal.org/spec/lti-dl/claim/";

const decode = (token: string): JWTPayload =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

const registrationForm = (asked: URLSearchParams) =>
  `<h1>Registration</h1><form method="post" action="/register?${String(asked).replaceAll("&", "&amp;")}">
     <button>Register</button></form>`;

const closeScript = `<script>(opener ?? parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");</script>`;

/** A stand-in for a tool of LTI 1.3, on another site than the service. Its pages show what it received. */
export async function startLtiTool() {
  const key = await takeRsaKey(2048);
  const jwk = { ...(await exportJWK(key.publicKey)), alg: "RS256", use: "sig", kid: "tool" };
  const sign = (claims: JWTPayload) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "tool" }).sign(key.privateKey);
  const state = { now: new Date(), launches: [] as JWTPayload[] };
  const seconds = () => Math.floor(state.now.getTime() / 1000);

  async function postScore(claims: JWTPayload): Promise<number> {
    const service = String(claims.iss);
    const client = String(claims.aud);
    const times = {
      iat: seconds(),
      exp: seconds() + 300,
      jti: `${claims["nonce"]}-${state.launches.length}`,
    };
    const form = {
      grant_type: "client_credentials",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await sign({ iss: client, sub: client, aud: `${service}/lti/tools/token`, ...times }),
      scope: scopesGrantedToTools.join(" "),
    };
    const granted = await fetch(`${service}/lti/tools/token`, {
      method: "POST",
      body: new URLSearchParams(form),
    });
    const { access_token } = (await granted.json()) as { access_token: string };
    const stored = await fetch(`${(claims[ags] as { lineitem: string }).lineitem}/scores`, {
      method: "POST",
      headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ userId: claims.sub, scoreGiven: 9, scoreMaximum: 10, timestamp: state.now.toISOString() },
        ...{ activityProgress: "Completed", gradingProgress: "FullyGraded" },
      }),
    });
    return stored.status;
  }

  async function linksPage(claims: JWTPayload): Promise<string> {
    const settings = claims[`${dl}deep_linking_settings`] as { data: string; deep_link_return_url: string };
    const JWT = await sign({
      ...{
        iss: String(claims.aud),
        aud: String(claims.iss),
        iat: seconds(),
        exp: seconds() + 300,
        nonce: "links",
      },
      [ltiClaim("message_type")]: "LtiDeepLinkingResponse",
      [ltiClaim("version")]: "1.3.0",
      [ltiClaim("deployment_id")]: claims[ltiClaim("deployment_id")],
      [`${dl}data`]: settings.data,
      [`${dl}content_items`]: [
        {
          type: "ltiResourceLink",
          title: "Wave quiz",
          lineItem: { scoreMaximum: 15 },
          custom: { quiz: "7" },
        },
        { type: "ltiResourceLink", title: "Wave reading" },
      ],
    });
    return `<form method="post" action="${settings.deep_link_return_url}">
      <input type="hidden" name="JWT" value="${JWT}"><button>Take these</button></form>`;
  }

  /** Dynamic Registration. Returns the status of a rejection. */
  async function registerAt(asked: URLSearchParams): Promise<number | undefined> {
    const known = await fetch(asked.get("openid_configuration") ?? "");
    const { registration_endpoint } = (await known.json()) as { registration_endpoint: string };
    const { ok, status } = await fetch(registration_endpoint, {
      method: "POST",
      headers: {
        authorization: `Bearer ${asked.get("registration_token")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        ...{ application_type: "web", client_name: "Wave registrar", redirect_uris: [`${address()}/launch`] },
        ...{ initiate_login_uri: `${address()}/login`, jwks_uri: `${address()}/jwks` },
        token_endpoint_auth_method: "private_key_jwt",
        "https://purl.imsglobal.org/spec/lti-tool-configuration": { target_link_uri: `${address()}/launch` },
      }),
    });
    return ok ? undefined : status;
  }

  const server = createPatientServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const page = (body: string) =>
      response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><main>${body}</main>`);
    if (pathname === "/register") {
      const failure = request.method === "POST" ? await registerAt(searchParams) : undefined;
      if (failure !== undefined) return page(`<p role="alert">${failure}</p>`);
      return page(request.method === "POST" ? closeScript : registrationForm(searchParams));
    }
    if (pathname === "/jwks") return response.end(JSON.stringify({ keys: [jwk] }));
    if (pathname === "/login") {
      const asked = Object.fromEntries(searchParams);
      const query = new URLSearchParams({
        ...{ scope: "openid", response_type: "id_token", response_mode: "form_post", prompt: "none" },
        ...{ client_id: asked["client_id"] ?? "", redirect_uri: `${address()}/launch` },
        ...{ login_hint: asked["login_hint"] ?? "", lti_message_hint: asked["lti_message_hint"] ?? "" },
        ...{ nonce: `nonce-${state.launches.length}`, state: "state" },
      });
      return response.writeHead(302, { location: `${asked["iss"]}/lti/tools/authorize?${query}` }).end();
    }
    if (pathname !== "/launch") return response.writeHead(404).end();
    const claims = decode(new URLSearchParams(await text(request)).get("id_token") ?? "");
    state.launches.push(claims);
    if (claims[ltiClaim("message_type")] === "LtiDeepLinkingRequest") return page(await linksPage(claims));
    const status = (claims[ags] as { lineitem?: string }).lineitem ? await postScore(claims) : 0;
    return page(`<h1>The tool</h1><p>Score ${status}</p>`);
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const address = () => `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    state,
    registration: () => ({
      ...{ name: "Wave lab", login_url: `${address()}/login`, launch_url: `${address()}/launch` },
      ...{ redirect_uris: [`${address()}/launch`], jwks_url: `${address()}/jwks` },
      deep_linking_url: `${address()}/launch`,
    }),
    registrationUrl: () => `${address()}/register`,
    close: () => new Promise((done) => server.close(done)),
  };
}
