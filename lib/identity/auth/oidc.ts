import * as oidc from "openid-client";
import { Email } from "../../../schema/api/platform/email.ts";
import type { Config } from "../../config.ts";
import { badRequest, HttpError, notFound, unavailable } from "../../errors.ts";
import { fairLimits } from "../../platform/async/fair-limits.ts";
import type { Db } from "../../platform/db/client.ts";
import type { ProviderIdentity } from "./identities.ts";
import type { PendingOidcLogin } from "./pending-oidc-login.ts";
import { publicFetch } from "./public-fetch.ts";
import { findUniversityOidcProvider, type UniversityOidcProvider } from "./university-providers.ts";

export type OidcProviderConfig = Config["OIDC_PROVIDERS"][number] &
  Partial<Pick<UniversityOidcProvider, "of">>;

const timeoutSeconds = 5;

/** 404 if there is none. */
export async function findOidcProvider(db: Db, config: Config, name: string): Promise<OidcProviderConfig> {
  if (name.includes(".")) return findUniversityOidcProvider(db, config, name);
  const provider = config.OIDC_PROVIDERS.find((one) => one.name === name);
  if (!provider) throw notFound("Identity provider");
  return provider;
}

type Begun = Pick<PendingOidcLogin, "state" | "nonce" | "verifier"> & { address: URL };

/** 503 if the provider is unreachable. */
export async function beginLogin(
  config: Config,
  provider: OidcProviderConfig,
  callback: URL,
): Promise<Begun> {
  const client = await clientOf(config, provider);
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const nonce = oidc.randomNonce();
  const address = oidc.buildAuthorizationUrl(client, {
    redirect_uri: callback.href,
    scope: "openid email profile",
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  return { address, state, nonce, verifier };
}

/**
 * Checks state, nonce and ID token. 400 for an error, a used code or another attempt's response; 503 if the
 * provider is unreachable.
 */
export async function finishLogin(
  config: Config,
  provider: OidcProviderConfig,
  callback: URL,
  { state, nonce, verifier }: PendingOidcLogin,
): Promise<ProviderIdentity> {
  const client = await clientOf(config, provider);
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
  try {
    const tokens = await oidc.authorizationCodeGrant(client, callback, checks);
    return identityOf(provider, await claimsOf(client, tokens));
  } catch (error) {
    throw answerTo(error);
  }
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;
type Claims = oidc.UserInfoResponse | oidc.IDToken;

async function claimsOf(client: oidc.Configuration, tokens: Tokens): Promise<Claims> {
  // Requesting a nonce guarantees an ID token.
  const claims = tokens.claims() as oidc.IDToken;
  const tellsAll = claims["email"] !== undefined && claims["email_verified"] !== undefined;
  if (tellsAll || !client.serverMetadata().userinfo_endpoint) return claims;
  return oidc.fetchUserInfo(client, tokens.access_token, claims.sub);
}

function identityOf({ name: provider }: OidcProviderConfig, claims: Claims): ProviderIdentity {
  // OpenID Connect limits subjects to 255 ASCII characters.
  if (!/^[\x20-\x7e]{1,255}$/.test(claims.sub)) throw badRequest("subject_not_storable");
  const { data: email } = Email.safeParse(claims["email"]);
  // Some providers send the claim as a string.
  const isVerified = [true, "true"].includes(claims["email_verified"] as boolean | string);
  return {
    provider,
    subject: claims.sub,
    email: isVerified ? email : undefined,
    full_name: fullNameOf(claims) || email?.split("@")[0] || "",
  };
}

function fullNameOf(claims: Claims): string {
  const { name, given_name, family_name } = claims;
  const text = typeof name === "string" ? name : [given_name, family_name].filter(Boolean).join(" ");
  const storable = text.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ").trim();
  return [...storable].slice(0, 255).join("");
}

/** Discovery documents. */
const clients = new WeakMap<OidcProviderConfig, Promise<oidc.Configuration>>();

async function clientOf(config: Config, provider: OidcProviderConfig): Promise<oidc.Configuration> {
  const client = clients.get(provider) ?? discover(config, provider);
  clients.set(provider, client);
  try {
    return await client;
  } catch (error) {
    clients.delete(provider);
    throw outOfReach(error);
  }
}

/** A university's issuer is untrusted input, so it is fetched only from the public internet. */
function discover({ ENVIRONMENT }: Config, { issuer, client_id, client_secret, of }: OidcProviderConfig) {
  const isDevelopment = ENVIRONMENT === "development";
  return oidc.discovery(new URL(issuer), client_id, undefined, sendSecret(client_secret), {
    timeout: timeoutSeconds,
    execute: [oidc.enableNonRepudiationChecks, ...(isDevelopment ? [oidc.allowInsecureRequests] : [])],
    [oidc.customFetch]: inTurn(of && !isDevelopment ? publicFetch : (fetch as oidc.CustomFetch)),
  });
}

/** Discovery and keys serve all callers: they are fetched even if the caller hangs up. */
const inTurn =
  (send: oidc.CustomFetch): oidc.CustomFetch =>
  (address, asked) =>
    fairLimits.outbound.run(() => send(address, asked), { evenAlone: asked.method === "GET" });

function sendSecret(secret: string): oidc.ClientAuth {
  const [inBody, inHeader] = [oidc.ClientSecretPost(secret), oidc.ClientSecretBasic(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? inHeader : inBody)(server, ...rest);
  };
}

const outOfReach = (cause: unknown): HttpError => unavailable("identity_provider_unreachable", cause);

/** A forged response or one for another sign-in. */
const failedChecks = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
]);

function answerTo(error: unknown): unknown {
  if (error instanceof HttpError) return error;
  if (error instanceof oidc.AuthorizationResponseError)
    return badRequest("identity_provider_refused", {
      reason: /^[\w.-]{1,64}/.exec(error.error)?.[0] ?? "error",
    });
  if (error instanceof oidc.ResponseBodyError && error.error === "invalid_grant")
    return badRequest("sign_in_finished");
  if (error instanceof oidc.ClientError && failedChecks.has(error.code ?? ""))
    return badRequest("answer_of_another_sign_in");
  return outOfReach(error);
}
