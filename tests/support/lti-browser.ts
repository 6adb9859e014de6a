import type { Hono } from "hono";
import type { JWTPayload } from "jose";
import type { LtiPlatformStandIn, Signing } from "./lti-platform-stand-in.ts";
import type { World } from "./world.ts";

const host = "http://localhost";

export type LtiPage = { status: number; html: string; headers: Headers };

/** A launch that has begun: what the platform is asked, and what the browser keeps. */
export type BegunLtiLaunch = { address: URL; state: string; nonce: string; cookie: string };

/** Whose page sends a form, as browsers say it: the LMS's and anyone's, or the tool's own. */
type Sender = "cross-site" | "same-origin";

/** What a browser does in a launch between an LMS and the tool of a university: each step, and all of them. */
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

  /** The token that the platform answers a begun launch with. */
  const answerOf = (begun: BegunLtiLaunch, changes?: object, signing?: Signing): Promise<string> =>
    platform().sign(claimsOf(begun, changes), signing);

  const claimsOf = ({ nonce }: BegunLtiLaunch, changes?: object): JWTPayload =>
    platform().claims({ nonce, target: target(), now: world.deps.now() }, changes);

  /** What the LMS's page posts; answered by a page that posts it again. */
  const sendFirst = (fields: Record<string, string>, cookie?: string) =>
    pageOf(post("launch", fields, cookie));

  /** What that page of our own posts; a browser whose scripts make no key leaves the challenge empty. */
  const comeBack = (fields: Record<string, string>, cookie?: string, from?: Sender) =>
    pageOf(post("launch", { challenge: "", ...fields }, cookie, from));

  /** A whole launch, with other claims, or signed in another way. */
  async function launch(changes?: object, signing?: Signing): Promise<LtiPage> {
    const begun = await begin();
    const id_token = await answerOf(begun, changes, signing);
    return comeBack({ state: begun.state, id_token }, begun.cookie);
  }

  return { root, target, asked, login, begin, answerOf, claimsOf, sendFirst, comeBack, launch, pageOf };
}
