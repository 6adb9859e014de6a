import type { Browser } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";

export async function signIn(browser: Browser, account: { email: string; password: string }) {
  const signedIn = await browser.send("POST", "/auth/login", account);
  expect(signedIn.status === 200, `${account.email} cannot sign in: ${signedIn.status}`);
  browser.signedInWith((signedIn.body as { access_token: string }).access_token);
  return signedIn;
}
