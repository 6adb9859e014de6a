import { createHash } from "node:crypto";
import { escapeHtml } from "../text/escape-html.ts";

/*
 * The pages of a launch, which stand in a frame of the LMS. Each has a policy of its own; what a script needs to know is
 * in attributes, never in the script, so that its hash names it.
 */

export type Page = { html: string; policy: string };

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 2rem 1rem; color: #1b1f24; background: #fff }
main { max-width: 40rem; margin: auto }
h1 { font-size: 1.3rem }
.button { display: inline-block; padding: .6rem 1.2rem; border: 2px solid #0b57d0; border-radius: .4rem; color: #0b57d0; font-weight: 600 }
.request { color: #57606a; font-size: .85rem; overflow-wrap: anywhere }
`;

/** A frame of another site's page is found by its name alone; one that is not there is no property that may be asked for. */
const findStore = `let store = parent;
try {
  if (frame !== "_parent") store = parent.frames[frame] ?? parent;
} catch {}`;

/** Keeps the launch's key in the platform's store, by its frame for that, and goes on, kept or not. */
const keepScript = `
const { frame, origin, name, key, address } = document.body.dataset;
const goOn = () => location.replace(address);
${findStore}
addEventListener("message", (event) => {
  if (event.origin === origin && event.data?.subject === "lti.put_data.response") goOn();
});
store.postMessage({ subject: "lti.put_data", message_id: name, key: name, value: key }, origin);
setTimeout(goOn, 1500);
`;

/** Reads the launch's key from the platform's store, and sends the launch once more with it. */
const readScript = `
const { frame, origin, name } = document.body.dataset;
const form = document.querySelector("form");
let isSent = false;
const send = (key) => {
  if (isSent) return;
  isSent = true;
  form.elements.storage_key.value = key;
  form.submit();
};
${findStore}
addEventListener("message", (event) => {
  if (event.origin === origin && event.data?.subject === "lti.get_data.response" && event.data.message_id === name)
    send(String(event.data.value ?? ""));
});
store.postMessage({ subject: "lti.get_data", message_id: name, key: name }, origin);
setTimeout(() => send(""), 1500);
`;

/** Tells the LMS that its window of a registration may be closed: it is no secret, so that anyone may hear it. */
const closeScript = `(window.opener ?? window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");`;

type Content = {
  title: string;
  body: string;
  script?: string;
  data?: Record<string, string>;
  /** Whose pages may frame it; absent: anyone's, of what has nothing personal. */
  frameOrigins?: readonly string[];
};

const hashOf = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;

function page({ title, body, script, data = {}, frameOrigins }: Content): Page {
  const attributes = Object.entries(data)
    .map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
    .join("");
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script ? [`script-src ${hashOf(script)}`] : []),
    "base-uri 'none'",
    `form-action ${body.includes("<form ") ? "'self'" : "'none'"}`,
    ...(frameOrigins ? [`frame-ancestors ${["'self'", ...frameOrigins].join(" ")}`] : []),
  ].join("; ");
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${escapeHtml(title)}</title>
    <style>${style}</style>
  </head>
  <body${attributes}>
    <main>
      ${body}
    </main>${script ? `\n    <script>${script}</script>` : ""}
  </body>
</html>
`;
  return { html, policy };
}

type Refused = { words: string; requestId: string | undefined; again?: string | undefined };

/** Why a launch gives nothing, with the request's id for whoever is asked; `again` opens it in a window of its own. */
export function refusalPage({ words, requestId, again }: Refused): Page {
  const link = again
    ? `<p><a class="button" href="${escapeHtml(again)}" target="_blank" rel="noopener">Open it in a window of its own</a></p>`
    : "";
  return page({
    title: "This launch did not succeed",
    body: `<h1>This launch did not succeed</h1>
      <p role="alert">${escapeHtml(words)}</p>
      ${link}
      <p class="request">Request ${escapeHtml(requestId ?? "")}</p>`,
  });
}

type Stored = { frame: string; origin: string; name: string };

/** On its way to the platform: the key goes into its store first. */
export const keepKeyPage = (
  stored: Stored & { key: string; address: string },
  frameOrigins: readonly string[],
): Page =>
  page({
    title: "Going on",
    body: `<p role="status">One moment …</p>
      <p><a href="${escapeHtml(stored.address)}">Go on</a></p>`,
    script: keepScript,
    data: stored,
    frameOrigins,
  });

/** Back from the platform without a cookie: the key comes from its store. */
export const readKeyPage = (
  stored: Stored,
  sent: { action: string; id_token: string; state: string },
  frameOrigins: readonly string[],
): Page =>
  page({
    title: "Going on",
    body: `<p role="status">One moment …</p>
      <form method="post" action="${escapeHtml(sent.action)}">
        <input type="hidden" name="id_token" value="${escapeHtml(sent.id_token)}">
        <input type="hidden" name="state" value="${escapeHtml(sent.state)}">
        <input type="hidden" name="storage_key" value="">
      </form>`,
    script: readScript,
    data: stored,
    frameOrigins,
  });

/** A launch that is in order, from a course that is none here. */
export const unboundPage = (
  { platform, course }: { platform: string; course: string | undefined },
  frameOrigins: readonly string[],
): Page => {
  const what = course === undefined ? "The place that you came from" : `“${course}”`;
  return page({
    title: "Not connected yet",
    body: `<h1>Not connected yet</h1>
      <p>${escapeHtml(`${what} in ${platform} is not connected to a course here.`)}</p>`,
    frameOrigins,
  });
};

/** Asks whoever opened the link of a registration whether they mean it: a program that looks at links registers nothing. */
export const registrationPage = (sent: Record<string, string>): Page => {
  const fields = Object.entries(sent).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const host = URL.canParse(sent["openid_configuration"] ?? "")
    ? new URL(sent["openid_configuration"] ?? "").host
    : "";
  return page({
    title: "Register this tool",
    body: `<h1>Register this tool</h1>
      <p>${escapeHtml(host)} asks for this tool.</p>
      <form method="post">
        ${fields.join("\n        ")}
        <button class="button">Register</button>
      </form>`,
  });
};

/** The LMS knows the tool, and the tool the LMS. */
export const registeredPage = (platform: string): Page =>
  page({
    title: "Registered",
    body: `<h1>Registered</h1>
      <p role="status">${escapeHtml(platform)} is registered. You can close this window.</p>`,
    script: closeScript,
  });
