import { escapeHtml } from "../../platform/text/escape-html.ts";
import { type HtmlPageWithPolicy, htmlPage as page } from "../../platform/text/html-page.ts";
import type { SignedDeepLinkingResponse } from "./deep-linking-request.ts";
import type { TicketAndKey, TicketScreen } from "./launch-ticket.ts";

/*
 * Shown in a frame of the LMS, each with its own CSP. Scripts read data from attributes, so the hashes of
 * scripts are constant.
 */

/**
 * Asks the platform's storage until it answers or a timeout: its frame loads concurrently and misses earlier
 * messages. A frame of another site is reachable only by name; reading a missing one would throw.
 */
const askStore = `const askStore = (subject, more, done) => {
  const ask = () => {
    let store = parent;
    try {
      if (frame !== "_parent") store = parent.frames[frame] ?? parent;
    } catch {}
    store.postMessage({ subject, message_id: name, key: name, ...more }, origin);
  };
  const asking = setInterval(ask, 200);
  const finish = (value) => {
    clearInterval(asking);
    clearTimeout(waiting);
    removeEventListener("message", hear);
    done(value);
  };
  const hear = ({ data, origin: from }) => {
    if (from === origin && data?.subject === subject + ".response" && data.message_id === name) finish(data.value);
  };
  const waiting = setTimeout(finish, 5000);
  addEventListener("message", hear);
  ask();
};`;

/** Saves the launch's key in the platform's storage. Continues if that fails. */
const keepScript = `
const { frame, origin, name, key, address } = document.body.dataset;
${askStore}
askStore("lti.put_data", { value: key }, () => location.replace(address));
`;

/**
 * Creates a key for the launch's session, which the frame saves if its browser allows. Resends the launch
 * with the key's hash, and the launch's own key from the platform's storage if it is there.
 */
const sendAgainScript = `
const { frame, origin, name } = document.body.dataset;
const form = document.querySelector("form");
const hashOfKey = async () => {
  try {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const verifier = btoa(String.fromCharCode(...bytes)).replace(/[+]/g, "-").replace(/[/]/g, "_").replace(/=/g, "");
    sessionStorage.setItem("lti " + name, verifier);
    if (sessionStorage.getItem("lti " + name) !== verifier) return "";
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  } catch {
    return "";
  }
};
const send = async (key) => {
  form.elements.storage_key.value = key;
  form.elements.challenge.value = await hashOfKey();
  form.submit();
};
${askStore}
if (frame) askStore("lti.get_data", {}, (key) => send(String(key ?? "")));
else send("");
`;

/**
 * Requests that the LMS close the registration window. The message is not secret, so any origin may receive
 * it.
 */
const closeScript = `(window.opener ?? window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");`;

type Refused = { words: string; requestId: string | undefined; again?: string | undefined };

/** With the request id for support; `again` opens the launch in its own window. */
export function refusalPage({ words, requestId, again }: Refused): HtmlPageWithPolicy {
  const link = again ? ownWindow(again, "Open it in a new window") : "";
  return page({
    title: "This launch did not succeed",
    body: `<h1>This launch did not succeed</h1>
      <p role="alert">${escapeHtml(words)}</p>
      ${link}
      <p class="request">Request ${escapeHtml(requestId ?? "")}</p>`,
  });
}

type Stored = { frame: string; origin: string; name: string };

/** Before the redirect to the platform: saves the key in its storage. */
export const storeLaunchKeyPage = (
  stored: Stored & { key: string; address: string },
  frameOrigins: readonly string[],
): HtmlPageWithPolicy =>
  page({
    title: "Going on",
    body: `<p role="status">One moment …</p>
      <p><a href="${escapeHtml(stored.address)}">Go on</a></p>`,
    script: keepScript,
    data: stored,
    frameOrigins,
  });

/** Back from the platform: our own page resends the launch. */
export const resendLaunchPage = (
  stored: Stored | Pick<Stored, "name">,
  sent: { action: string; id_token: string; state: string },
  frameOrigins: readonly string[],
): HtmlPageWithPolicy =>
  page({
    title: "Going on",
    body: `<p role="status">One moment …</p>
      <form method="post" action="${escapeHtml(sent.action)}">
        <input type="hidden" name="id_token" value="${escapeHtml(sent.id_token)}">
        <input type="hidden" name="state" value="${escapeHtml(sent.state)}">
        <input type="hidden" name="storage_key" value="">
        <input type="hidden" name="challenge" value="">
        <noscript><button class="button">Go on</button></noscript>
      </form>`,
    script: sendAgainScript,
    data: stored,
    frameOrigins,
  });

/** A valid launch of a course that is not bound; its teachers can connect it. */
export const unboundCoursePage = (
  { platform, course, connect }: { platform: string; course: string; connect: NewWindowForm | undefined },
  frameOrigins: readonly string[],
): HtmlPageWithPolicy =>
  page({
    title: "Not connected yet",
    body: `<h1>Not connected yet</h1>
      <p>${escapeHtml(`“${course}” in ${platform} is not connected to a course here.`)}</p>
      ${connect ? openForm(connect, "Connect it in a new window") : "<p>A teacher of the course must connect it first. Then open it again.</p>"}`,
    frameOrigins,
  });

/** A person who may have an account signs in once, or states that they have none. */
export const signInPage = (
  { platform, signIn, make }: { platform: string; signIn: NewWindowForm; make: string },
  frameOrigins: readonly string[],
): HtmlPageWithPolicy =>
  page({
    title: "Sign in once",
    body: `<h1>Sign in once</h1>
      <p>${escapeHtml(`If you already have an account here, sign in once to link it to ${platform}.`)}</p>
      ${openForm(signIn, "Sign in in a new window")}
      <p>Then open this again in ${escapeHtml(platform)}.</p>
      <form method="post" action="${escapeHtml(make)}">
        <input type="hidden" name="ticket" value="${escapeHtml(signIn.ticket)}">
        <p>No account here?</p>
        <button class="button">Go on without one</button>
      </form>`,
    frameOrigins,
  });

export const accountMadePage = (platform: string): HtmlPageWithPolicy =>
  page({
    title: "You can go on",
    body: `<h1>You can go on</h1>
      <p role="status">${escapeHtml(`Open this again in ${platform}.`)}</p>`,
  });

const ownWindow = (address: string, words: string): string =>
  `<p><a class="button" href="${escapeHtml(address)}" target="_blank" rel="noopener">${words}</a></p>`;

export type NewWindowForm = TicketAndKey & { action: string; screen: TicketScreen };

/** Posts the ticket's key: an address with it could be sent to another person. */
const openForm = ({ action, screen, ticket, key }: NewWindowForm, words: string): string =>
  `<form method="post" action="${escapeHtml(action)}" target="_blank">
        <input type="hidden" name="screen" value="${screen}">
        <input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
        <input type="hidden" name="key" value="${escapeHtml(key)}">
        <button class="button">${words}</button>
      </form>`;

/** Asks for confirmation, so link scanners do not register anything. */
export const confirmRegistrationPage = (sent: Record<string, string>): HtmlPageWithPolicy => {
  const fields = Object.entries(sent).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const host = URL.canParse(sent["openid_configuration"] ?? "")
    ? new URL(sent["openid_configuration"] ?? "").host
    : "";
  return page({
    title: "Register this tool",
    body: `<h1>Register this tool</h1>
      <p>${escapeHtml(host)} requests this tool.</p>
      <form method="post">
        ${fields.join("\n        ")}
        <button class="button">Register</button>
      </form>`,
  });
};

/** Forwards the URL's fragment, which browsers do not send to servers. */
const handOnScript = `
const form = document.querySelector("form");
form.elements.links.value = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
form.submit();
`;

/** On the way to the LMS; contains no personal data. */
export const relayLinksPage = (): HtmlPageWithPolicy =>
  page({
    title: "Going on",
    body: `<p role="status">One moment …</p>
      <form method="post"><input type="hidden" name="links" value=""></form>`,
    script: handOnScript,
  });

export const postLinksToLmsPage = ({
  return_url,
  jwt,
  frame_origins,
}: SignedDeepLinkingResponse): HtmlPageWithPolicy =>
  page({
    title: "Going on",
    body: `<p role="status">One moment …</p>
      <form method="post" action="${escapeHtml(return_url)}">
        <input type="hidden" name="JWT" value="${escapeHtml(jwt)}">
        <button class="button">Go on</button>
      </form>`,
    script: `document.querySelector("form").submit();`,
    frameOrigins: frame_origins,
    formAction: return_url,
  });

/** Hands the chosen items to the editor that opened the frame or window, which is on this service's origin. */
const handItemsScript = `
const above = window.opener ?? window.parent;
above.postMessage({ subject: "lti.links", items: JSON.parse(document.body.dataset.items) }, location.origin);
`;

/** After Deep Linking at a tool. */
export const toolLinksPage = (items: readonly object[]): HtmlPageWithPolicy =>
  page({
    title: "Chosen",
    body: `<p role="status">${items.length === 0 ? "Nothing was chosen." : "Chosen. Go on in the editor."}</p>`,
    script: handItemsScript,
    data: { items: JSON.stringify(items) },
  });

/** The answer to a tool's authorization request: posts the id token. `redirectUris` are the tool's hosts. */
export const postIdTokenPage = (
  action: string,
  form: { id_token: string; state?: string },
  redirectUris: readonly string[],
): HtmlPageWithPolicy =>
  page({
    title: "Going on",
    body: `<p role="status">One moment …</p>
      <form method="post" action="${escapeHtml(action)}">
        ${Object.entries(form)
          .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
          .join("\n        ")}
        <button class="button">Go on</button>
      </form>`,
    script: `document.querySelector("form").submit();`,
    // Browsers apply it to redirects after the form too.
    formAction: redirectUris.map((uri) => new URL(uri).origin),
  });

export const platformRegisteredPage = (platform: string): HtmlPageWithPolicy =>
  page({
    title: "Registered",
    body: `<h1>Registered</h1>
      <p role="status">${escapeHtml(platform)} is registered. You can close this window.</p>`,
    script: closeScript,
  });
