import { badRequest, HttpError } from "../../../lib/errors.ts";
import { endpoint, type HandlerInput, ok, redirects } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { issueTokenPairAndCookies } from "../../../lib/http/sign-in.ts";
import { withQueryParameter } from "../../../lib/http/with-parameter.ts";
import { setLoginCookie, takeLoginCookie } from "../../../lib/identity/auth/cookies.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import * as identities from "../../../lib/identity/auth/identities.ts";
import * as oidc from "../../../lib/identity/auth/oidc.ts";
import { decryptOidcLogin, encryptOidcLogin } from "../../../lib/identity/auth/pending-oidc-login.ts";
import { normalizeAllowedRedirect } from "../../../lib/identity/auth/redirect-target.ts";
import { createSignInCode, redeemSignInCode } from "../../../lib/identity/auth/sign-in-code.ts";
import {
  findOrCreateUniversityUser,
  listSignInProviders,
} from "../../../lib/identity/auth/university-providers.ts";
import {
  CallbackQuery,
  IdentityProvider,
  IdentityProviderName,
  IdentityProviderQuery,
  LoginQuery,
  SignInCode,
  TokenPair,
} from "../../../schema/api/identity/auth.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";

export const listIdentityProviders = endpoint(
  {
    id: "listIdentityProviders",
    method: "get",
    path: "/oidc/providers",
    summary: "List identity providers for sign-in",
    ...anyone,
    query: IdentityProviderQuery,
    ...ok(listOf(IdentityProvider), "Providers of the platform and of the requested university"),
    fails: [405],
  },
  async ({ deps, query: { university_id } }) => {
    const ofUniversity = university_id ? await listSignInProviders(deps.db, university_id) : [];
    const ofPlatform = deps.config.OIDC_PROVIDERS.map(({ name, label }) => ({
      name,
      label,
      kind: "oidc" as const,
    }));
    return [...ofPlatform, ...ofUniversity];
  },
);

export const beginProviderLogin = endpoint(
  {
    id: "beginProviderLogin",
    method: "get",
    path: "/oidc/{provider}/login",
    writes: "sign-in",
    summary: "Start an OpenID Connect sign-in",
    description: "Open it in a browser. It redirects to the provider, which returns to the callback.",
    ...anyone,
    shares: "outbound",
    params: IdentityProviderName,
    query: LoginQuery,
    ...redirects("Redirect to the provider"),
    fails: [400, 404, 503],
  },
  async (call) => {
    const { deps, http, params, query } = call;
    const { code_challenge } = query;
    const provider = await oidc.findOidcProvider(deps.db, deps.config, params.provider);
    const redirect_to = normalizeAllowedRedirect(query.redirect_to, deps.config.BACKEND_CORS_ORIGINS);
    const callback = callbackOf(call);
    keepUncached(call);
    return toldToThePage(call, { redirect_to, code_challenge }, async () => {
      const { address, ...checks } = await oidc.beginLogin(deps.config, provider, callback);
      const attempt = { provider: provider.name, redirect_to, code_challenge, ...checks };
      setLoginCookie(http, checks.state, await encryptOidcLogin(deps, attempt), callback.pathname);
      return address;
    });
  },
);

export const finishProviderLogin = endpoint(
  {
    id: "finishProviderLogin",
    method: "get",
    path: "/oidc/{provider}/callback",
    writes: "sign-in",
    summary: "Complete an OpenID Connect sign-in",
    description:
      "Sets the same cookies as a password sign-in. The first sign-in uses the account with the " +
      "provider's verified email address, or creates one. A university's provider signs in only " +
      "people of that university. Their first sign-in needs an address in a domain that the platform " +
      "granted to the university. With a `code_challenge`, no cookies are set: `redirect_to` " +
      "receives a `sign_in_code` or a `sign_in_error`.",
    ...anyone,
    shares: "outbound",
    setsCookies: true,
    params: IdentityProviderName,
    query: CallbackQuery,
    ...redirects("Redirect to `redirect_to`"),
    fails: [400, 403, 404, 503],
  },
  async (call) => {
    const { deps, http, params, query } = call;
    const provider = await oidc.findOidcProvider(deps.db, deps.config, params.provider);
    const callback = callbackOf(call);
    keepUncached(call);
    const sealed = query.state && takeLoginCookie(http, query.state, callback.pathname);
    const attempt = sealed ? await decryptOidcLogin(deps, sealed) : undefined;
    if (attempt?.provider !== provider.name) throw badRequest("sign_in_not_begun_here");
    callback.search = new URL(http.req.url).search;
    return toldToThePage(call, attempt, async () => {
      const person = await identities.signInWithRefusalAudit(deps.db, provider.name, async (found) => {
        const identity = found(await oidc.finishLogin(deps.config, provider, callback, attempt));
        return personOf(call, provider, identity);
      });
      const reach = provider.of && { university_id: provider.of.university_id };
      const signed_in = { ...person, reach, signed_in_at: Math.floor(deps.now().getTime() / 1000) };
      if (attempt.code_challenge) {
        const code = await createSignInCode(deps, signed_in, attempt.code_challenge);
        return withQueryParameter(attempt.redirect_to, "sign_in_code", code);
      }
      await issueTokenPairAndCookies(call, signed_in);
      return attempt.redirect_to;
    });
  },
);

export const exchangeSignInCode = endpoint(
  {
    id: "exchangeSignInCode",
    method: "post",
    path: "/oidc/tokens",
    summary: "Exchange a sign-in code for tokens",
    description:
      "For pages that started the sign-in with a `code_challenge`. A code is valid for one minute and one " +
      "exchange. It requires the `code_verifier` of the browser that started the sign-in.",
    ...anyone,
    shares: "nothing",
    setsCookies: true,
    body: SignInCode,
    ...ok(TokenPair, "A new pair of tokens"),
    fails: [400],
  },
  async (call) => issueTokenPairAndCookies(call, await redeemSignInCode(call.deps, call.body)),
);

type Page = { redirect_to: string; code_challenge?: string | undefined };

/** Redirects. A page that expects a code receives errors too; a browser would otherwise show bare JSON. */
async function toldToThePage(
  { http }: Pick<HandlerInput, "http">,
  { redirect_to, code_challenge }: Page,
  next: () => Promise<string | URL>,
): Promise<Response> {
  try {
    return http.redirect(await next());
  } catch (error) {
    if (!code_challenge || !(error instanceof HttpError)) throw error;
    return http.redirect(withQueryParameter(redirect_to, "sign_in_error", String(error.status)));
  }
}

const personOf = (
  { deps }: Pick<HandlerInput, "deps">,
  provider: oidc.OidcProviderConfig,
  identity: identities.ProviderIdentity,
) =>
  provider.of
    ? findOrCreateUniversityUser(deps.db, { ...provider, of: provider.of }, identity, deps.now())
    : identities.findOrCreateUserOfIdentity(deps.db, identity);

type ProviderCall = Pick<HandlerInput, "deps" | "http"> & { params: { provider: string } };

const callbackOf = ({ deps, http, params }: ProviderCall): URL =>
  new URL(
    `${publicUrl(http, deps.config)}${deps.config.API_V1_PREFIX}/auth/oidc/${params.provider}/callback`,
  );

/** On `res`: error responses must have the header too. */
const keepUncached = ({ http }: ProviderCall): void => http.res.headers.set("Cache-Control", "no-store");
