import { dataOf, type Schemas } from "learning-platform-client";
import { apiClient, apiUrl, tokenStore } from "../service.ts";
import type { TextKey } from "../texts.ts";

/** The key of the code verifier, which stays in the browser until the exchange. */
const key = "verifier of a sign-in";

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Redirects to an identity provider, which returns to the current screen. */
export async function beginProviderSignIn({ name, kind }: Schemas["IdentityProvider"]): Promise<void> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  sessionStorage.setItem(key, verifier);
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const query = new URLSearchParams({
    redirect_to: location.pathname + location.search + location.hash,
    code_challenge: base64url(new Uint8Array(hash)),
  });
  location.assign(`${apiUrl(`/auth/${kind}/${encodeURIComponent(name)}/login`)}?${query}`);
}

let fault: TextKey | undefined;
tokenStore.onChange(() => {
  fault = undefined;
});

export const providerSignInErrorKey = (): TextKey | undefined => fault;

/** After a return from an identity provider: exchanges the code for tokens and removes it from the address. */
export async function finishProviderSignIn(): Promise<void> {
  const given = new URLSearchParams(location.search);
  const [code, status] = [given.get("sign_in_code"), given.get("sign_in_error")];
  if (!code && !status) return;
  given.delete("sign_in_code");
  given.delete("sign_in_error");
  const query = given.size > 0 ? `?${given}` : "";
  history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
  const code_verifier = sessionStorage.getItem(key) ?? "";
  sessionStorage.removeItem(key);
  fault = faultOf(status);
  if (!code) return;
  fault = "provider.failed";
  if (!code_verifier) return;
  try {
    tokenStore.write(await dataOf(apiClient.exchangeSignInCode({ body: { code, code_verifier } })));
    fault = undefined;
  } catch {
    // The screen shows the error and offers to try again.
  }
}

function faultOf(status: string | null): TextKey | undefined {
  if (status === null) return undefined;
  if (status === "403") return "provider.refused";
  return status === "503" ? "provider.unreachable" : "provider.failed";
}
