import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { ltiServices } from "./lti-services-stand-in.ts";
import { createPatientServer } from "./patient-server.ts";
import { takeRsaKey } from "./rsa-keys.ts";

export type KeysMode = "well" | "html" | "slow" | "redirect" | "reset" | 401 | 404 | 422 | 429 | 500 | 503;

/** How a token is signed: with the platform's key, or invalidly. */
export type Signing = {
  key?: "own" | "unknown" | "unpublished";
  alg?: "none" | "HS256" | "ES256";
  kid?: string | undefined;
};

const toolConfiguration = "https://purl.imsglobal.org/spec/lti-tool-configuration";
const claim = "https://purl.imsglobal.org/spec/lti/claim/";

/**
 * A stand-in for an LTI 1.3 platform. It has keys, signs any claims and simulates common failures.
 * `lti-browser.ts` plays the browser.
 */
export async function startLtiPlatform({ clientId = "learning" } = {}) {
  const own = await takeRsaKey(2048);
  const unknown = await takeRsaKey(2048);
  const curve = await generateKeyPair("ES256");
  const published = { ...(await exportJWK(own.publicKey)), alg: "RS256", use: "sig", kid: "own" };
  const state = {
    keys: "well" as KeysMode,
    asked: 0,
    /** Its behavior in dynamic registration, and changes to its configuration. */
    registrations: "well" as KeysMode,
    configuration: {} as object,
    /** Its pages launch this address, at the service's time. */
    launch: { target: "", now: new Date() },
    /** Changes to the launch's claims. */
    launched: {} as object,
    clients: 0,
    /** The last post to its deep linking return address. */
    links: "",
    registered: [] as { authorization: string | undefined; tool: Record<string, unknown> }[],
  };
  const services = ltiServices({ clientId, issuer: () => issuer });
  const server = createPatientServer(async (request, response) => {
    if (await services.serve(request, response)) return;
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/course") return page(coursePage(request.url ?? ""), response);
    if (pathname === "/store") return page(storePage, response);
    if (pathname === "/auth") return page(await authPage(request.url ?? ""), response);
    if (pathname === "/return") {
      state.links = new URLSearchParams(await text(request)).get("JWT") ?? "";
      return page("<main><h1>Links were added</h1></main>", response);
    }
    if (pathname === "/configuration") return answer("well", configuration(), response);
    if (pathname === "/registrations") {
      const tool = JSON.parse(await text(request));
      state.registered.push({ authorization: request.headers.authorization, tool });
      state.clients += 1;
      const registered = { ...tool, client_id: `client-${state.clients}` };
      const named = { ...tool[toolConfiguration], deployment_id: "from-registration" };
      return answer(state.registrations, { ...registered, [toolConfiguration]: named }, response);
    }
    state.asked += 1;
    return answer(state.keys, { keys: [published] }, response);
  });
  /** Signs a launch for any login and posts it to the tool, as a browser does. */
  async function authPage(address: string): Promise<string> {
    const { searchParams } = new URL(address, issuer);
    const nonce = searchParams.get("nonce") ?? "";
    const id_token = await sign(claims({ nonce, ...state.launch }, state.launched));
    return `<form method="post" action="${searchParams.get("redirect_uri")}">
      <input type="hidden" name="state" value="${searchParams.get("state")}">
      <input type="hidden" name="id_token" value="${id_token}"></form><script>document.forms[0].submit()</script>`;
  }

  const configuration = () => ({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    registration_endpoint: `${issuer}/registrations`,
    "https://purl.imsglobal.org/spec/lti-platform-configuration": { product_family_code: "stand-in" },
    ...state.configuration,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Claims of a resource link launch. An undefined change removes a claim. */
  const claims = (given: { nonce: string; target: string; now: Date }, changes: object = {}): JWTPayload => {
    const iat = Math.floor(given.now.getTime() / 1000);
    return JSON.parse(
      JSON.stringify({
        iss: issuer,
        aud: clientId,
        sub: "person-1",
        exp: iat + 300,
        iat,
        nonce: given.nonce,
        [`${claim}message_type`]: "LtiResourceLinkRequest",
        [`${claim}version`]: "1.3.0",
        [`${claim}deployment_id`]: "1",
        [`${claim}target_link_uri`]: given.target,
        [`${claim}resource_link`]: { id: "link-1", title: "Week 1" },
        [`${claim}context`]: { id: "course-1", label: "CS1", title: "Computing <1>" },
        [`${claim}roles`]: ["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"],
        ...changes,
      }),
    );
  };

  async function sign(payload: JWTPayload, { key = "own", alg, kid = "own" }: Signing = {}): Promise<string> {
    if (alg === "none") {
      const [header, body] = [{ alg: "none", kid }, payload].map((part) =>
        Buffer.from(JSON.stringify(part)).toString("base64url"),
      );
      return `${header}.${body}.`;
    }
    if (alg === "HS256") {
      const secret = Buffer.from(await exportSPKI(own.publicKey));
      return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(secret);
    }
    if (alg === "ES256") return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(curve.privateKey);
    const header = { alg: "RS256", ...(key === "unpublished" ? { kid: "other" } : { kid }) };
    const { privateKey } = key === "own" ? own : unknown;
    return new SignJWT(payload).setProtectedHeader(header).sign(privateKey);
  }

  return {
    issuer,
    clientId,
    state,
    services,
    claims,
    sign,
    /** An administrator's form input. */
    registration: {
      name: "LMS of the campus",
      issuer,
      client_id: clientId,
      auth_login_url: `${issuer}/auth?keep=this`,
      auth_token_url: `${issuer}/token`,
      jwks_url: `${issuer}/keys`,
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type LtiPlatformStandIn = Awaited<ReturnType<typeof startLtiPlatform>>;

async function answer(mode: KeysMode, body: object, response: ServerResponse): Promise<void> {
  if (mode === "slow") return; // No response.
  if (mode === "reset") return void response.destroy();
  if (mode === "redirect") return void response.writeHead(301, { location: "/elsewhere" }).end();
  if (mode === "html")
    return void response.writeHead(200, { "content-type": "text/html" }).end("<p>Keys</p>");
  const status = typeof mode === "number" ? mode : 200;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const page = (body: string, response: ServerResponse): void =>
  void response
    .writeHead(200, { "content-type": "text/html" })
    .end(`<!doctype html><html lang="en"><title>LMS</title>${body}</html>`);

/** A course page: the tool's frame, and a storage frame that loads a little later. */
const coursePage = (address: string): string => {
  const tool = new URL(address, "http://localhost").searchParams.get("tool") ?? "";
  return `<main><h1>Course</h1></main><iframe name="lti_store" title="Store"></iframe>
    <iframe name="tool" src="${tool.replaceAll("&", "&amp;")}" title="Tool" width="900" height="400"></iframe>
    <script>
      setTimeout(() => { document.querySelector("[name=lti_store]").src = "/store"; }, 700);
      addEventListener("message", ({ data }) => {
        if (data.subject === "lti.frameResize") document.querySelector("[name=tool]").height = data.height;
      });
    </script>`;
};

/** LTI client side storage by messages, separate per origin. */
const storePage = `<script>
const kept = new Map();
addEventListener("message", ({ data, origin, source }) => {
  const key = origin + " " + data.key;
  if (data.subject === "lti.put_data") kept.set(key, data.value);
  source.postMessage({ subject: data.subject + ".response", message_id: data.message_id, key: data.key, value: kept.get(key) }, origin);
});
</script>`;
