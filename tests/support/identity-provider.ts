import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider as OidcProvider } from "oidc-provider";
import { createPatientServer } from "./patient-server.ts";

/** An account at the identity provider; `sub` is its id. */
export type Subject = {
  sub: string;
  email: string | undefined;
  email_verified: unknown;
  name: string | undefined;
};

/** A local identity provider: the real protocol, with a script instead of pages. */
export type IdentityProvider = {
  issuer: string;
  /** Its entry in OIDC_PROVIDERS. */
  setting: { name: string; label: string; issuer: string; client_id: string; client_secret: string };
  /** Opens the login's address, signs in or cancels, and returns the callback URL. */
  visit(address: string, subject: Subject | "refuse"): Promise<string>;
  /** Changes the token endpoint's response. Does nothing by default. */
  tamper: (tokens: { id_token: string }) => void;
  discoveries: number;
  close(): Promise<void>;
};

type Options = { redirectUri: string; name?: string; claimsInIdToken?: boolean; port?: number };

export async function startIdentityProvider(options: Options): Promise<IdentityProvider> {
  const { redirectUri, name = "campus", claimsInIdToken = false, port = 0 } = options;
  const subjects = new Map<string, Subject>();
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown;
  const server = createPatientServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { client_id: "learning-platform", client_secret: "secret-of-the-learning-platform" };
  const setting = { name, label: "Campus account", issuer, ...client };
  const provider = new OidcProvider(issuer, {
    clients: [{ ...client, redirect_uris: [redirectUri] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    pkce: { required: () => true },
    conformIdTokenClaims: !claimsInIdToken,
    cookies: { keys: ["a key of the tests"] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...subjects.get(id), sub: id }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: setting.client_id,
        accountId: oidc.account?.accountId,
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const running: IdentityProvider = {
    issuer,
    setting,
    tamper: () => {},
    discoveries: 0,
    visit: (address, subject) => {
      if (subject !== "refuse") subjects.set(subject.sub, subject);
      return visitAs(address, issuer, subject === "refuse" ? "" : subject.sub);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  provider.use(async (context, next) => {
    await next();
    if (context["oidc"]?.route === "discovery") running.discoveries++;
    if (context["oidc"]?.route === "token") running.tamper(context.body as { id_token: string });
  });
  const callback = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return callback(request, response);
    const accountId = request.headers["x-subject"]?.toString();
    const result = accountId ? { login: { accountId } } : { error: "access_denied" };
    return provider.interactionFinished(request, response, result);
  };
  return running;
}

/** Follows redirects with cookies, as a browser does, while they stay at the provider. */
async function visitAs(start: string, issuer: string, sub: string): Promise<string> {
  const jar = new Map<string, string>();
  let address = start;
  while (address.startsWith(issuer)) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(address, { redirect: "manual", headers: { cookie, "x-subject": sub } });
    const location = response.headers.get("location");
    if (!location) throw new Error(`${address}: ${response.status} ${await response.text()}`);
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    address = new URL(location, address).href;
  }
  return address;
}
