import type { Hono } from "hono";
import type { JWTPayload } from "jose";
import type { LtiPlatformStandIn, Signing } from "./lti-platform-stand-in.ts";
import type { World } from "./world.ts";

const host = "http://localhost";

export type LtiPage = { status: number; html: string; headers: Headers };

/** A launch in progress: the request to the platform and the browser's cookie. */
export type BegunLtiLaunch = { address: URL; state: string; nonce: string; cookie: string };

/** Fetch metadata of a form's page: the LMS's, or the tool's. */
type Sender = "cross-site" | "same-origin";

/** The browser's steps in a launch between an LMS and a university's tool, one by one or all together. */
export function ltiBrowser(world: World, platform: () => LtiPlatformStandIn, university: () => number) {
  const app = () => world.app as Hono;
  const root = () => `${host}/lti/${university()}`;
  const target = () => `${root()}/launch`;

  const asked = (changes: Record<string, string | undefined> = {}): URLSearchParams => {
    const given = {
      iss: platform().issuer,
      client_id: platform().clientId,
      login_hint: "person-1",
      target_link_uri: target(),
      lti_message_hint: "hint-1",
      ...changes,
    };
    const defined = Object.entries(given).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return new URLSearchParams(defined);
  };

  async function pageOf(answering: Response | Promise<Response>): Promise<LtiPage> {
    const answer = await answering;
    return { status: answer.status, headers: answer.headers, html: await answer.text() };
  }

  const login = (changes?: Record<string, string | undefined>, method: "GET" | "POST" = "GET") =>
    method === "GET"
      ? app().request(`${root()}/login?${asked(changes)}`)
      : post("login", Object.fromEntries(asked(changes)));

  const post = (path: string, fields: Record<string, string>, cookie = "", from: Sender = "cross-site") =>
    app().request(`${root()}/${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": from,
        ...(cookie && { cookie }),
      },
      body: new URLSearchParams(fields).toString(),
    });

  async function begin(changes?: Record<string, string | undefined>): Promise<BegunLtiLaunch> {
    const answer = await login(changes);
    if (answer.status !== 302) throw new Error(`${answer.status} ${await answer.text()}`);
    const address = new URL(answer.headers.get("location") ?? "");
    const [cookie = ""] = (answer.headers.getSetCookie()[0] ?? "").split(";");
    const of = (name: string) => address.searchParams.get(name) ?? "";
    return { address, cookie, state: of("state"), nonce: of("nonce") };
  }

  /** The platform's token for a launch in progress. */
  const answerOf = (begun: BegunLtiLaunch, changes?: object, signing?: Signing): Promise<string> =>
    platform().sign(claimsOf(begun, changes), signing);

  const claimsOf = ({ nonce }: BegunLtiLaunch, changes?: object): JWTPayload =>
    platform().claims({ nonce, target: target(), now: world.deps.now() }, changes);

  /** The form of the LMS's page. The response is a page that posts it again. */
  const sendFirst = (fields: Record<string, string>, cookie?: string) =>
    pageOf(post("launch", fields, cookie));

  /** The form of that page. The challenge is empty if the browser's scripts create no key. */
  const comeBack = (fields: Record<string, string>, cookie?: string, from?: Sender) =>
    pageOf(post("launch", { challenge: "", ...fields }, cookie, from));

  async function launch(changes?: object, signing?: Signing): Promise<LtiPage> {
    const begun = await begin();
    const id_token = await answerOf(begun, changes, signing);
    return comeBack({ state: begun.state, id_token }, begun.cookie);
  }

  /** Opens the window that the page of a launch offers: its ticket, and the browser's cookie. */
  async function openWindow(
    html: string,
    changes: Record<string, string> = {},
    from: Sender = "same-origin",
  ) {
    const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
    const [screen, ticket, key] = [value("screen"), value("ticket"), value("key")];
    const answer = await post("window", { screen, ticket, key, ...changes }, "", from);
    const [cookie = ""] = (answer.headers.getSetCookie()[0] ?? "").split(";");
    return {
      status: answer.status,
      address: answer.headers.get("location"),
      ticket,
      cookie,
      headers: { cookie },
    };
  }

  return {
    openWindow,
    root,
    target,
    asked,
    login,
    begin,
    answerOf,
    claimsOf,
    sendFirst,
    comeBack,
    launch,
    pageOf,
  };
}
