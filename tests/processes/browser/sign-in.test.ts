import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { users } from "../../../schema/db/identity/users.ts";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { mailboxOf } from "../../support/mailbox.ts";
import { focused, openDemonstration, signIn } from "./demonstration.ts";

describe.skipIf(!systemBrowser)("signing in, in a browser", () => {
  const { world, browser } = openDemonstration({ LOGIN_MAX_FAILURES: "10" });

  it("registers, confirms the address, and sets a new password by the link of a mail", async () => {
    const mailbox = mailboxOf(world);
    const email = "rosalind@example.edu";
    const { page } = await browser.visit("/app");
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Name").fill("Rosalind Elsie");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill("a first password");
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByRole("heading", { name: "Hello, Rosalind Elsie" }).waitFor();
    await page.goto(`${browser.url()}/app#/verify-email?token=${await mailbox.tokenFor(email)}`);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("The address is confirmed.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Continue" }).click();

    // The heading takes the focus when it appears: later it would interrupt typing.
    await page.evaluate(`new MutationObserver(() => {
      const heading = document.querySelector("h1");
      if (heading?.textContent === "Forgot your password?")
        globalThis.hadFocusAtOnce ??= document.activeElement === heading;
    }).observe(document.body, { childList: true, subtree: true })`);
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    // The sign-in form has the same field.
    await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText("a mail is on its way").waitFor();
    expect(await page.evaluate("hadFocusAtOnce")).toBe(true);
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.goto(`${browser.url()}/app#/reset-password?token=${await mailbox.tokenFor(email)}`);
    await page.getByLabel("New password").fill("a second password");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByText("Your password was changed.").waitFor();
    const signedIn = await world.as().post("/auth/login", { email, password: "a second password" });
    expect(signedIn.status).toBe(200);
  });

  it("returns from an identity provider with a code that only this tab can exchange", async () => {
    const { page } = await browser.visit("/app?university=1#/catalog");
    const [mina] = await world.deps.db.select().from(users).where(eq(users.email, "mina@northgate.example"));
    let challenge = "";
    await page.route("**/auth/oidc/providers*", (route) =>
      route.fulfill({ json: [{ name: "campus", label: "Campus account", kind: "oidc" }] }),
    );
    await page.route("**/auth/oidc/campus/login*", (route) => {
      const asked = new URL(route.request().url()).searchParams;
      challenge = asked.get("code_challenge") ?? "";
      const back = (asked.get("redirect_to") ?? "").replace("#", "&sign_in_code=a-code#");
      return route.fulfill({ status: 302, headers: { location: back } });
    });
    await page.route("**/auth/oidc/tokens", async (route) => {
      const { code, code_verifier } = route.request().postDataJSON();
      const isOurs = createHash("sha256").update(code_verifier).digest("base64url") === challenge;
      if (code !== "a-code" || !isOurs)
        return route.fulfill({ status: 400, json: { detail: "Start again" } });
      return route.fulfill({ json: await world.deps.tokens.issue({ id: mina?.id ?? 0 }) });
    });
    await page.reload();
    await page.getByRole("button", { name: "Sign in with Campus account" }).click();
    await page.getByRole("heading", { name: "Catalog" }).waitFor();
    expect(new URL(page.url()).search).toBe("?university=1");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(`${browser.url()}/app?sign_in_code=a-code`);
    await page.getByText("The sign-in was not completed.").waitFor();
  });

  it("stays signed in through a reload and an expired token, and signs out in every tab", async () => {
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await page.evaluate(`
      for (const [key, kept] of Object.entries(localStorage)) {
        const tokens = JSON.parse(kept);
        if (tokens.access_token) localStorage.setItem(key, JSON.stringify({ ...tokens, access_token: "expired" }));
      }`);
    await page.reload();
    await page.getByRole("heading", { name: "Hello, Mina Park" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    await expect.poll(() => focused(page)).toMatch(/^Sign in/);
  });

  it("leaves the device's cookie when the user signs out, and no other", async () => {
    const { page } = await browser.visit("/app");
    const cookies = async () => (await page.context().cookies()).map(({ name }) => name).sort();
    await signIn(page, "mina@northgate.example");
    expect(await cookies()).toContain("app_device");
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect.poll(cookies).toEqual(["app_device"]);
  });

  it("is in German for users who choose it, and still after a reload", async () => {
    const { page } = await browser.visit("/app");
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
  });
});
