import { setLoginCookie, takeLoginCookie } from "../../lib/auth/cookies.ts";
import { anyone } from "../../lib/auth/guards.ts";
import * as identities from "../../lib/auth/identities.ts";
import { openAttempt, sealAttempt } from "../../lib/auth/login-attempt.ts";
import * as oidc from "../../lib/auth/oidc.ts";
import { redirectTarget } from "../../lib/auth/redirect-target.ts";
import { providersOf, userOfUniversity } from "../../lib/auth/university-providers.ts";
import { badRequest } from "../../lib/errors.ts";
import { type Call, endpoint, ok, redirects } from "../../lib/http/endpoint.ts";
import { publicUrl } from "../../lib/http/public-url.ts";
import { signIn } from "../../lib/http/sign-in.ts";
import {
  CallbackQuery,
  IdentityProvider,
  IdentityProviderName,
  IdentityProviderQuery,
  LoginQuery,
} from "../../schema/api/auth.ts";
import { listOf } from "../../schema/api/fields.ts";

export const listIdentityProviders = endpoint(
  {
    id: "listIdentityProviders",
    method: "get",
    path: "/oidc/providers",
    summary: "List the identity providers to sign in with",
    ...anyone,
    query: IdentityProviderQuery,
    ...ok(listOf(IdentityProvider), "Those of the platform, and of the university that is asked for"),
    fails: [405],
  },
  async ({ deps, query: { university_id } }) => {
    const ofUniversity = university_id ? await providersOf(deps.db, university_id) : [];
    return [...deps.config.OIDC_PROVIDERS.map(({ name, label }) => ({ name, label })), ...ofUniversity];
  },
);

export const beginProviderLogin = endpoint(
  {
    id: "beginProviderLogin",
    method: "get",
    path: "/oidc/{provider}/login",
    summary: "Begin to sign in with an identity provider",
    description: "For a browser to go to: it is sent on to the provider, and comes back to the callback.",
    ...anyone,
    params: IdentityProviderName,
    query: LoginQuery,
    ...redirects("To the provider"),
    fails: [400, 404, 503],
  },
  async (call) => {
    const { deps, http, params, query } = call;
    const provider = await oidc.findProvider(deps.db, deps.config, params.provider);
    const redirect_to = redirectTarget(query.redirect_to, deps.config.BACKEND_CORS_ORIGINS);
    const callback = callbackOf(call);
    const { address, ...checks } = await oidc.beginLogin(deps.config, provider, callback);
    const sealed = await sealAttempt(deps, { provider: provider.name, redirect_to, ...checks });
    keepUncached(call);
    setLoginCookie(http, checks.state, sealed, callback.pathname);
    return http.redirect(address);
  },
);

export const finishProviderLogin = endpoint(
  {
    id: "finishProviderLogin",
    method: "get",
    path: "/oidc/{provider}/callback",
    summary: "Come back from an identity provider, signed in",
    description:
      "Sets the same cookies as a sign-in with a password. The first time, the account is found by its " +
      "e-mail address if the provider has verified that, or created. A university's provider signs in people of that " +
      "university alone, the first time with an address of the domains that the platform granted it.",
    ...anyone,
    params: IdentityProviderName,
    query: CallbackQuery,
    ...redirects("To where the login was asked to lead"),
    fails: [400, 403, 404, 503],
  },
  async (call) => {
    const { deps, http, params, query } = call;
    const provider = await oidc.findProvider(deps.db, deps.config, params.provider);
    const callback = callbackOf(call);
    keepUncached(call);
    const sealed = query.state && takeLoginCookie(http, query.state, callback.pathname);
    const attempt = sealed ? await openAttempt(deps, sealed) : undefined;
    if (attempt?.provider !== provider.name)
      throw badRequest("This sign-in was not begun in this browser, or over 10 minutes ago: begin again");
    callback.search = new URL(http.req.url).search;
    const identity = await oidc.finishLogin(deps.config, provider, callback, attempt);
    const person = await personOf(call, provider, identity);
    await signIn(call, { ...person, signed_in_at: Math.floor(deps.now().getTime() / 1000) });
    return http.redirect(attempt.redirect_to);
  },
);

const personOf = ({ deps }: Pick<Call, "deps">, provider: oidc.Provider, identity: identities.Identity) =>
  provider.of
    ? userOfUniversity(deps.db, { ...provider, of: provider.of }, identity, deps.now())
    : identities.userOfIdentity(deps.db, identity, deps.now());

type ProviderCall = Pick<Call, "deps" | "http"> & { params: { provider: string } };

/** Where the provider sends people back to; it knows the address beforehand, and refuses any other. */
const callbackOf = ({ deps, http, params }: ProviderCall): URL =>
  new URL(
    `${publicUrl(http, deps.config)}${deps.config.API_V1_PREFIX}/auth/oidc/${params.provider}/callback`,
  );

/** On `res`, whose headers and cookies an error's answer has as well. */
const keepUncached = ({ http }: ProviderCall): void => http.res.headers.set("Cache-Control", "no-store");
