import { createHash, randomBytes } from "node:crypto";
import type { LtiPlatformStandIn } from "../../tests/support/lti-platform-stand-in.ts";

/**
 * A browser's steps of a launch, with the tool at `root`: login, the LMS's form, the tool's form, and the
 * exchange of the code.
 */
export function createLtiLauncher(lms: LtiPlatformStandIn, root: string) {
  const target = `${root}/launch`;
  const service = new URL(root).origin;

  const post = (body: Record<string, string>, cookie: string) =>
    fetch(target, {
      method: "POST",
      redirect: "manual",
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(body),
    });

  async function begin(subject: string) {
    const asked = new URLSearchParams({
      ...{ iss: lms.issuer, client_id: lms.clientId, login_hint: subject, target_link_uri: target },
    });
    const answer = await fetch(`${root}/login?${asked}`, { redirect: "manual" });
    await answer.arrayBuffer();
    const address = new URL(answer.headers.get("location") ?? "");
    const of = (name: string) => address.searchParams.get(name) ?? "";
    const [cookie = ""] = (answer.headers.getSetCookie()[0] ?? "").split(";");
    return { state: of("state"), nonce: of("nonce"), cookie };
  }

  return async (subject: string): Promise<void> => {
    const { state, nonce, cookie } = await begin(subject);
    const told = { sub: subject, name: `Learner ${subject}` };
    const id_token = await lms.sign(lms.claims({ nonce, target, now: new Date() }, told));
    await (await post({ state, id_token }, cookie)).arrayBuffer();
    const code_verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(code_verifier).digest("hex");
    const launched = await post({ state, id_token, challenge, storage_key: "" }, cookie);
    const page = await launched.text();
    const location = launched.headers.get("location");
    if (!location) throw new Error(`a launch answered ${launched.status}: ${page}`);
    const code = new URLSearchParams(new URL(location).hash.slice(1)).get("code");
    const exchanged = await fetch(`${service}/api/v1/auth/launches`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code, code_verifier }),
    });
    if (!exchanged.ok) throw new Error(`a code answered ${exchanged.status}: ${await exchanged.text()}`);
    await exchanged.arrayBuffer();
  };
}
