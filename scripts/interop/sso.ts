/** `npm run interop sso`: signs in by SAML with Keycloak, and attacks the response. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findMissingTool, ToolFailure } from "../../proof/clients/toolchain.ts";
import { samlAttacks } from "../../proof/sso-check/attacks.ts";
import { CookieBrowser, parseHiddenForm } from "../../proof/sso-check/browser.ts";
import { downloadKeycloak, keycloakUser, startKeycloak } from "../../proof/sso-check/keycloak.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import { demoAdministrator } from "../dev/seed/accounts.ts";

commandLine({
  usage: `npm run interop sso

Starts Keycloak, which Maven downloads, and a new server. Signs a person in by SAML, and tries seven attacks with the response
that Keycloak signed. Each attack must be rejected. A missing program is named and is no failure.`,
});

async function asAdministrator(base: string) {
  const send = async (method: string, at: string, body: object, token?: string) => {
    const answer = await fetch(`${base}/api/v1${at}`, {
      method,
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${at} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const { access_token } = await send("POST", "/auth/login", demoAdministrator);
  return (method: string, at: string, body: object) => send(method, at, body, access_token);
}

/** Signs in at Keycloak from the service, and returns the final form before it is sent. */
async function signInAtKeycloak(login: string) {
  const browser = new CookieBrowser();
  const { answer } = await browser.ask(login);
  const page = await browser.ask(answer.headers.get("location") ?? "");
  const { username, password } = keycloakUser;
  const credentials = { username, password, credentialId: "" };
  const back = await browser.ask(parseHiddenForm(page.text).action, credentials);
  const { action, fields } = parseHiddenForm(back.text);
  if (!fields["SAMLResponse"]) throw new Error(`Keycloak answered ${back.answer.status} without a response`);
  return { browser, action, fields };
}

type Checked = { what: string; isRight: boolean; found: string };

/** Sends forged responses first: the real one must still work afterwards, and only once. */
async function checkSignIn(login: string): Promise<Checked[]> {
  const { browser, action, fields } = await signInAtKeycloak(login);
  const checked: Checked[] = [];
  const send = async (what: string, wanted: number, sender: CookieBrowser, sent: Record<string, string>) => {
    const { answer, text } = await sender.ask(action, sent);
    const found = `${answer.status} ${/Reason (\w+)/.exec(text)?.[1] ?? ""}`.trim();
    checked.push({ what, isRight: answer.status === wanted, found });
  };
  const xml = Buffer.from(fields["SAMLResponse"] ?? "", "base64").toString();
  for (const [what, attack] of Object.entries(samlAttacks)) {
    const forged = attack(xml);
    if (forged === xml) throw new Error(`Keycloak's response has nothing for: ${what}`);
    await send(what, 400, browser, { ...fields, SAMLResponse: Buffer.from(forged).toString("base64") });
  }
  await send("the original, in another browser", 400, new CookieBrowser(), fields);
  const again = browser.copy();
  await send("the original", 302, browser, fields);
  await send("the original again", 400, again, fields);
  return checked;
}

async function checkKeycloak(folder: string, home: string): Promise<boolean> {
  const keycloak = await startKeycloak(home);
  const platform = await startOwnPlatform(folder);
  try {
    const send = await asAdministrator(platform.base);
    const all = "/universities/1/identity-providers";
    const provider = await send("POST", all, {
      ...{ kind: "saml", name: "keycloak", label: "Keycloak" },
      metadata_url: keycloak.metadata,
    });
    await send("PUT", `${all}/${provider.id}/email-domains`, { email_domains: ["campus.example.edu"] });
    const address = `${platform.base}/api/v1/auth/saml/${provider.login_name}`;
    await keycloak.addClient(provider.client_id, `${address}/acs`);
    const checked = await checkSignIn(`${address}/login?redirect_to=/app`);
    for (const { what, isRight, found } of checked)
      console.log(`${isRight ? "right" : "WRONG"}  ${what}: ${found}`);
    return checked.every(({ isRight }) => isRight);
  } finally {
    await platform.stop();
    await keycloak.stop();
  }
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-sso-check-"));
try {
  const missing = await findMissingTool(["java", "mvn"]);
  const home = missing
    ? undefined
    : await downloadKeycloak(folder).catch((error: unknown) => {
        if (!(error instanceof ToolFailure)) throw error;
        console.log(`Nothing was checked: Keycloak cannot be downloaded here.\n${error.message}`);
        return undefined;
      });
  if (missing) console.log(`Nothing was checked: Keycloak requires ${missing}, which is not installed.`);
  if (home && !(await checkKeycloak(folder, home))) process.exitCode = 1;
  console.log(
    "Not checked: other providers than Keycloak, an encrypted assertion, and a federation's metadata file.",
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
