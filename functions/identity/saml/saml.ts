import { errorCodeHeader } from "../../../lib/error-codes.ts";
import { endpoint, type HandlerInput, redirects } from "../../../lib/http/endpoint.ts";
import { parseFormBody } from "../../../lib/http/form.ts";
import { negotiateContentType } from "../../../lib/http/negotiate-content-type.ts";
import { publicApiUrl } from "../../../lib/http/public-url.ts";
import { issueTokenPairAndCookies } from "../../../lib/http/sign-in.ts";
import { withQueryParameter } from "../../../lib/http/with-parameter.ts";
import { readSamlCookie, setSamlCookie } from "../../../lib/identity/auth/cookies.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { normalizeAllowedRedirect } from "../../../lib/identity/auth/redirect-target.ts";
import { createSignInCode } from "../../../lib/identity/auth/sign-in-code.ts";
import { findLoginNameByEntityId } from "../../../lib/identity/saml/discovery.ts";
import {
  decryptSamlLogin,
  encryptSamlLogin,
  isRelayState,
  newRelayState,
  type SamlLogin,
  samlLoginLifetimeSeconds,
} from "../../../lib/identity/saml/login-request.ts";
import { samlRefusalPage } from "../../../lib/identity/saml/pages.ts";
import { findSamlProvider, type SamlProvider } from "../../../lib/identity/saml/provider.ts";
import { SamlRefusal } from "../../../lib/identity/saml/refusals.ts";
import { ensureMetadataNotExpired, signInByResponse } from "../../../lib/identity/saml/sign-in.ts";
import { fairLimits } from "../../../lib/platform/async/fair-limits.ts";
import { currentRequest } from "../../../lib/platform/async/request-context.ts";
import { DiscoveredQuery, IdentityProviderName, LoginQuery } from "../../../schema/api/identity/auth.ts";

/*
 * SAML 2.0 sign-in: the browser carries a signed request to the provider and posts the signed response to the
 * assertion consumer service. The request's id is sealed in a cookie; the server stores nothing.
 */

export const getSamlMetadata = endpoint(
  {
    id: "getSamlMetadata",
    method: "get",
    path: "/{provider}/metadata",
    summary: "Read the service's SAML metadata",
    description:
      "XML for the provider's operators, with the entity ID, the assertion consumer service and the keys.",
    ...anyone,
    params: IdentityProviderName,
    answer: {
      status: 200,
      description: "An EntityDescriptor",
      schema: undefined,
      also: { "application/samlmetadata+xml": "<EntityDescriptor/>", "text/xml": "<EntityDescriptor/>" },
    },
    fails: [404],
  },
  async (call) => {
    const provider = await findSamlProvider(call.deps.db, call.deps.config, call.params.provider);
    const { serviceProviderMetadataXml } = await import("../../../lib/identity/saml/own-messages.ts");
    const discovered = `${publicApiUrl(call.http, call.deps.config)}/auth/saml/discovered`;
    return new Response(serviceProviderMetadataXml(provider, { acs: acsOf(call), discovered }), {
      headers: {
        "content-type": `${negotiateContentType(call.http, "application/samlmetadata+xml", "text/xml")}; charset=utf-8`,
        "cache-control": "no-store",
      },
    });
  },
);

export const beginSamlLogin = endpoint(
  {
    id: "beginSamlLogin",
    method: "get",
    path: "/{provider}/login",
    writes: "sign-in",
    summary: "Start a SAML sign-in",
    description:
      "Open it in a browser. It redirects to the provider with a signed request (HTTP-Redirect). The " +
      "provider returns by a form to the assertion consumer service (HTTP-POST).",
    ...anyone,
    shares: "processor",
    params: IdentityProviderName,
    query: LoginQuery,
    ...redirects("Redirect to the provider"),
    fails: [400, 404, 503],
    failsAsPage: [503],
  },
  async (call) => {
    const { deps, http, params, query } = call;
    const { code_challenge } = query;
    const provider = await findSamlProvider(deps.db, deps.config, params.provider);
    const redirect_to = normalizeAllowedRedirect(query.redirect_to, deps.config.BACKEND_CORS_ORIGINS);
    return orRefused(call, provider, undefined, async () => {
      ensureMetadataNotExpired(provider, deps.now());
      const { signedLoginRequestUrl } = await import("../../../lib/identity/saml/own-messages.ts");
      const relay_state = newRelayState();
      const request_id = `_${newRelayState()}${newRelayState()}`;
      const acs = acsOf(call);
      const login = { provider: provider.login_name, request_id, redirect_to, code_challenge };
      const cookie = { name: relay_state, path: new URL(acs).pathname };
      setSamlCookie(http, cookie, await encryptSamlLogin(deps, login), samlLoginLifetimeSeconds);
      const sign = () => signedLoginRequestUrl(provider, { acs, request_id, relay_state });
      return http.redirect(await fairLimits.processor.run(sign));
    });
  },
);

export const continueSamlDiscovery = endpoint(
  {
    id: "continueSamlDiscovery",
    method: "get",
    path: "/discovered",
    summary: "Continue after SAML discovery",
    description:
      "The return address of a discovery service (Identity Provider Discovery Service Protocol), as given " +
      "in the metadata. Redirects to the login with the provider of `entityID`, or to `redirect_to` if " +
      "none was chosen.",
    ...anyone,
    query: DiscoveredQuery,
    ...redirects("Redirect to the login with the institution's provider"),
    fails: [400, 404],
    failsAsPage: [404],
  },
  async ({ deps, http, query }) => {
    const { entityID, university_id, redirect_to, code_challenge } = query;
    const target = normalizeAllowedRedirect(redirect_to, deps.config.BACKEND_CORS_ORIGINS);
    if (entityID === undefined) return http.redirect(target);
    try {
      const login = await findLoginNameByEntityId(deps.db, entityID, university_id);
      const asked = new URLSearchParams({ redirect_to, ...(code_challenge && { code_challenge }) });
      return http.redirect(`${publicApiUrl(http, deps.config)}/auth/saml/${login}/login?${asked}`);
    } catch (error) {
      if (!(error instanceof SamlRefusal)) throw error;
      return refusalPage(http, error, "the discovery service", target);
    }
  },
);

export const finishSamlLogin = endpoint(
  {
    id: "finishSamlLogin",
    method: "post",
    path: "/{provider}/acs",
    summary: "Complete a SAML sign-in",
    description:
      "The assertion consumer service. Send a browser form with `SAMLResponse` (at most 256 KB) and " +
      "`RelayState`. Sets the same cookies as a password sign-in. With a `code_challenge`, `redirect_to` " +
      "receives a `sign_in_code` instead. Errors are HTML pages that state the cause.",
    ...anyone,
    shares: "processor",
    setsCookies: true,
    params: IdentityProviderName,
    ...redirects("Redirect to `redirect_to`"),
    fails: [400, 403, 404, 413, 503],
    failsAsPage: [400, 403, 413, 503],
  },
  async (call) => {
    const { deps, http } = call;
    const provider = await findSamlProvider(deps.db, deps.config, call.params.provider);
    const { SAMLResponse: response, RelayState: relayState = "" } = await parseFormBody(call);
    const acs = acsOf(call);
    const cookie = { name: relayState, path: new URL(acs).pathname };
    const sealed = isRelayState(relayState) ? readSamlCookie(http, cookie) : undefined;
    const login = sealed ? await decryptSamlLogin(deps, sealed) : undefined;
    return orRefused(call, provider, login, async () => {
      if (login?.provider !== provider.login_name) throw new SamlRefusal("not_begun");
      if (!response) throw new SamlRefusal("bad_request");
      const person = await signInByResponse(deps, provider, login, { response, acs });
      // Cleared only after success, so a forged response does not end the pending sign-in.
      setSamlCookie(http, cookie, "", 0);
      deps.metrics.samlResponseEnded("accepted");
      return leadOn(call, login, {
        ...person,
        reach: { university_id: provider.university_id },
        signed_in_at: Math.floor(deps.now().getTime() / 1000),
      });
    });
  },
);

type SamlCall = Pick<HandlerInput, "http"> & {
  deps: Pick<HandlerInput["deps"], "config" | "now" | "metrics">;
  params: { provider: string };
};

async function leadOn(
  { deps, http }: Pick<HandlerInput, "deps" | "http">,
  { redirect_to, code_challenge }: SamlLogin,
  person: Parameters<typeof issueTokenPairAndCookies>[1],
): Promise<Response> {
  http.res.headers.set("Cache-Control", "no-store");
  if (code_challenge)
    return http.redirect(
      withQueryParameter(redirect_to, "sign_in_code", await createSignInCode(deps, person, code_challenge)),
    );
  await issueTokenPairAndCookies({ deps, http }, person);
  return http.redirect(redirect_to);
}

/** Errors are pages, since the user arrives from the provider. They include advice for its operators. */
async function orRefused(
  call: SamlCall,
  { label, login_name }: SamlProvider,
  login: SamlLogin | undefined,
  work: () => Promise<Response>,
): Promise<Response> {
  const { deps, http } = call;
  http.res.headers.set("Cache-Control", "no-store");
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error;
    deps.metrics.samlResponseEnded(error.reason);
    return refusalPage(http, error, label, againOf(call, login_name, login));
  }
}

function refusalPage(
  http: HandlerInput["http"],
  error: SamlRefusal,
  label: string,
  again: string | undefined,
): Response | Promise<Response> {
  const requestId = currentRequest()?.request_id;
  const { html, policy } = samlRefusalPage(error, { label, requestId, again });
  return http.html(html, error.status as 400, {
    "Content-Security-Policy": policy,
    "Cache-Control": "no-store",
    [errorCodeHeader]: error.code,
  });
}

/** A page that started the sign-in has its own state and must restart it, so it is the target. */
function againOf(
  { deps, http }: SamlCall,
  provider: string,
  login: SamlLogin | undefined,
): string | undefined {
  if (!login || login.provider !== provider) return undefined;
  if (login.code_challenge) return login.redirect_to;
  const query = new URLSearchParams({ redirect_to: login.redirect_to });
  return `${publicApiUrl(http, deps.config)}/auth/saml/${provider}/login?${query}`;
}

/** The assertion consumer service, as registered with the provider. */
const acsOf = ({
  deps,
  http,
  params,
}: Omit<SamlCall, "deps"> & { deps: Pick<HandlerInput["deps"], "config"> }): string =>
  new URL(`${publicApiUrl(http, deps.config)}/auth/saml/${params.provider}/acs`).href;
