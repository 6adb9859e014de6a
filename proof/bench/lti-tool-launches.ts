import type { ToolUnderLoad } from "./lti-tools.ts";
import { runConcurrently } from "./run-concurrently.ts";

/** Concurrently launching browsers. */
const browsers = 16;

/** Each learner launches the tool's first item. Every tenth launch is first tried in a wrong way. */
export async function measureLaunchesWithFaultyAttempts(tool: ToolUnderLoad, launches: number) {
  const subjects = new Set<string>();
  let badAccepted = 0;
  const started = performance.now();
  await runConcurrently(tool.learners.slice(0, launches).entries(), browsers, async ([n, learner]) => {
    const { authorization, cookie } = await beginLaunch(tool, await tool.tokenOf(learner));
    if (n % 10 === 0) {
      const fault = faults[(n / 10) % faults.length];
      const bad = await authorize(tool, { ...authorization, ...fault?.changes }, fault?.cookie ?? cookie);
      if (bad.id_token) badAccepted += 1;
    }
    const { id_token, status } = await authorize(tool, authorization, cookie);
    if (!id_token) throw new Error(`a launch answered ${status}`);
    const { sub } = JSON.parse(Buffer.from(id_token.split(".")[1] ?? "", "base64url").toString());
    subjects.add(sub);
  });
  return { seconds: (performance.now() - started) / 1000, subjects: subjects.size, badAccepted };
}

/** Changes of the authorization request, or another browser's cookie. */
const faults: readonly { changes?: Record<string, string>; cookie?: string }[] = [
  { changes: { redirect_uri: "https://thief.example.com/launch" } },
  { changes: { login_hint: "A".repeat(22) } },
  { changes: { client_id: "another" } },
  { changes: { lti_message_hint: "changed" } },
  { cookie: "none=1" },
];

async function beginLaunch({ url, offering, items }: ToolUnderLoad, token: string) {
  const path = `/api/v1/offerings/${offering}/external-tools/${items[0]}/launch`;
  const permitted = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  const { launch_url } = (await permitted.json()) as { launch_url: string };
  const opened = await fetch(launch_url, { redirect: "manual" });
  await opened.arrayBuffer();
  const asked = new URL(opened.headers.get("location") ?? "").searchParams;
  const [cookie = ""] = (opened.headers.getSetCookie()[0] ?? "").split(";");
  const authorization = {
    ...{ scope: "openid", response_type: "id_token", response_mode: "form_post", prompt: "none" },
    ...{ redirect_uri: "https://tool.example.com/launch", nonce: "nonce", state: "state" },
    client_id: asked.get("client_id") ?? "",
    login_hint: asked.get("login_hint") ?? "",
    lti_message_hint: asked.get("lti_message_hint") ?? "",
  };
  return { authorization, cookie };
}

async function authorize({ url }: ToolUnderLoad, authorization: Record<string, string>, cookie: string) {
  const query = new URLSearchParams(authorization);
  const answered = await fetch(`${url}/lti/tools/authorize?${query}`, { headers: { cookie } });
  const [, id_token] = /name="id_token" value="([^"]*)"/.exec(await answered.text()) ?? [];
  return { status: answered.status, id_token };
}
