import { created, endpoint, type HandlerInput, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicApiUrl } from "../../../lib/http/public-url.ts";
import { issueTokenPairAndCookies } from "../../../lib/http/sign-in.ts";
import { clearAuthCookies, readDeviceCookie, setDeviceCookie } from "../../../lib/identity/auth/cookies.ts";
import {
  decryptDeviceCookie,
  deviceCookieLifetimeSeconds,
  encryptDeviceCookieWithAccount,
  type SignInDevice,
} from "../../../lib/identity/auth/device.ts";
import { anyone, withRefreshToken } from "../../../lib/identity/auth/guards.ts";
import * as accounts from "../../../lib/identity/auth/register-and-login.ts";
import {
  Credentials,
  DemonstrationAccount,
  EmailAvailability,
  EmailCheck,
  OnboardingRegistration,
  Registration,
  TokenPair,
} from "../../../schema/api/identity/auth.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";

export const checkEmail = endpoint(
  {
    id: "checkEmail",
    method: "post",
    path: "/check-email",
    summary: "Check email availability",
    ...anyone,
    shares: "nothing",
    body: EmailCheck,
    ...ok(EmailAvailability, "Whether the address is available"),
  },
  async ({ deps, body }) => ({ available: await accounts.isEmailAvailable(deps.db, body.email) }),
);

export const register = endpoint(
  {
    id: "register",
    method: "post",
    path: "/register",
    summary: "Register an account",
    description: "Also signs in, as `POST /auth/login` does.",
    ...anyone,
    shares: "processor",
    setsCookies: true,
    body: Registration,
    ...created(TokenPair, "Tokens of the new account"),
    fails: [400, 403],
  },
  async (call) => {
    const { deps, body } = call;
    return signInNew(call, await accounts.register(deps.db, deps.config, body, deps.now()), body.email);
  },
);

export const registerWithOnboarding = endpoint(
  {
    id: "registerWithOnboarding",
    method: "post",
    path: "/register-with-onboarding",
    summary: "Register an account with a profile",
    description: "Also signs in, as `POST /auth/login` does.",
    ...anyone,
    shares: "processor",
    setsCookies: true,
    body: OnboardingRegistration,
    ...created(TokenPair, "Tokens of the new account"),
    fails: [400, 403],
    refuses: { 400: ["does_not_exist"] },
  },
  async (call) => {
    const { deps, body } = call;
    const id = await accounts.registerWithOnboarding(deps.db, deps.config, body, deps.now());
    return signInNew(call, id, body.email);
  },
);

export const login = endpoint(
  {
    id: "login",
    method: "post",
    path: "/login",
    summary: "Sign in with a password",
    description:
      "Send `Content-Type: application/json`. Also sets the tokens as `HttpOnly` cookies; they do not " +
      "authenticate requests.",
    ...anyone,
    shares: "processor",
    setsCookies: true,
    body: Credentials,
    ...ok(TokenPair, "A new pair of tokens"),
    fails: [401, 403, 429],
  },
  async (call) => {
    const { deps, http, body } = call;
    const sealed = readDeviceCookie(http);
    const device = sealed ? await decryptDeviceCookie(deps, sealed) : undefined;
    const person = await accounts.verifyPasswordLogin(deps.db, deps.config, body, device, deps.now());
    await rememberDevice(call, device, body.email);
    return issueTokenPairAndCookies(call, person);
  },
);

export const refreshTokens = endpoint(
  {
    id: "refreshTokens",
    method: "post",
    path: "/refresh",
    summary: "Refresh the tokens",
    description:
      "Send the refresh token as the Bearer token. The new tokens have the same limits as the old " +
      "ones, such as one university. Old tokens stay valid until they expire or are revoked.",
    ...withRefreshToken,
    setsCookies: true,
    ...ok(TokenPair, "A new pair of tokens"),
  },
  async ({ deps, http, actor }) => {
    await accounts.ensureNotOnlyInactiveUniversities(deps.db, actor);
    const { id, token_version, signed_in_at, reach } = actor;
    const person = { id, token_version, signed_in_at, reach };
    // An LTI launch keeps its tokens in the page. A cookie would replace the browser's own session.
    return reach?.offering_id ? deps.tokens.issue(person) : issueTokenPairAndCookies({ deps, http }, person);
  },
);

export const listDemonstrationAccounts = endpoint(
  {
    id: "listDemonstrationAccounts",
    method: "get",
    path: "/demonstration-accounts",
    summary: "List demonstration accounts",
    description:
      "Lists accounts that anyone may sign in as. Empty outside development and without demonstration data.",
    ...anyone,
    ...ok(listOf(DemonstrationAccount), "The accounts, with their passwords"),
    fails: [405],
  },
  ({ deps }) => accounts.findDemonstrationAccounts(deps.db, deps.config),
);

export const logout = endpoint(
  {
    id: "logout",
    method: "post",
    path: "/logout",
    summary: "Clear the sign-in cookies",
    description: "Tokens stay valid until they expire or are revoked.",
    ...anyone,
    shares: "nothing",
    setsCookies: true,
    ...noContent("Cookies cleared"),
  },
  ({ deps, http }) => clearAuthCookies(http, deps.config),
);

async function signInNew(call: Pick<HandlerInput, "deps" | "http">, id: number, email: string) {
  await rememberDevice(call, undefined, email);
  return issueTokenPairAndCookies(call, { id, token_version: 0 });
}

/** Sets the cookie by which the device is counted apart from strangers who guess the password. */
async function rememberDevice(
  { deps, http }: Pick<HandlerInput, "deps" | "http">,
  device: SignInDevice | undefined,
  email: string,
): Promise<void> {
  if (deps.config.LOGIN_MAX_FAILURES === 0) return;
  const path = `${new URL(publicApiUrl(http, deps.config)).pathname}/auth/login`;
  setDeviceCookie(
    http,
    await encryptDeviceCookieWithAccount(deps, device, email),
    path,
    deviceCookieLifetimeSeconds,
  );
}
