import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";

/** A failure of a platform's service. Undefined: none. */
export type Fault = "html" | "redirect" | "reset" | "slow" | number | undefined;

/** A posted score (AGS 2.0). */
export type PostedScore = {
  line_item: string;
  userId: string;
  timestamp: string;
  scoreGiven?: number;
  scoreMaximum?: number;
  activityProgress: string;
  gradingProgress: string;
};

/** A roster member (NRPS 2.0). */
export type Member = {
  user_id: string;
  status?: string;
  roles: string[];
  name?: string;
  given_name?: string;
  family_name?: string;
  email?: string;
  lis_person_sourcedid?: string;
};

const scopes = {
  score: "https://purl.imsglobal.org/spec/lti-ags/scope/score",
  lineitem: "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem",
  roster: "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly",
} as const;

/** The LMS stand-in's services: tokens, scores, rosters and deep linking responses. */
export function ltiServices({ clientId, issuer }: { clientId: string; issuer: () => string }) {
  const state = {
    /** The tool's public keys, which verify its signatures. */
    toolKeys: { keys: [] } as JSONWebKeySet,
    tokenFault: undefined as Fault,
    /** The OAuth error with which it rejects a token request for that scope. */
    tokenError: (_scope: string): string | undefined => undefined,
    /** As in the response: some platforms send a string, some omit it. */
    expiresIn: 3600 as number | string | undefined,
    tokens: new Map<string, string>(),
    tokensAsked: [] as { scope: string | null; claims: JWTPayload }[],
    scores: [] as PostedScore[],
    /** The last score of each person in a column. */
    results: new Map<string, PostedScore>(),
    scoreFault: (_score: PostedScore, _nth: number): Fault => undefined,
    scoresPosted: 0,
    members: [] as Member[],
    /** Response to requests for roster differences. */
    differences: [] as Member[],
    pageSize: 100,
    rosterFault: (_page: number): Fault => undefined,
    /** Changes the next page's URL. */
    nextPage: (address: string) => address,
    rostersRead: [] as string[],
    retryAfter: undefined as string | undefined,
    deepLinks: [] as JWTPayload[],
  };

  /** Handles service requests. Returns false for other paths. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const column = /^\/lineitems\/([^/]+)\/scores$/.exec(pathname);
    if (pathname === "/token") await giveToken(request, response);
    else if (column) await takeScore(request, response, column[1] ?? "");
    else if (pathname === "/memberships") await tellMembers(request, response, searchParams);
    else if (pathname === "/deep-links") await takeDeepLinks(request, response);
    else return false;
    return true;
  }

  async function giveToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return answer(response, 405);
    const form = new URLSearchParams(await text(request));
    if (state.tokenFault !== undefined) return fail(response, state.tokenFault);
    const isOfGrant =
      form.get("grant_type") === "client_credentials" &&
      form.get("client_assertion_type") === "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    const claims = await verified(form.get("client_assertion") ?? "", `${issuer()}/token`);
    if (!isOfGrant || claims?.sub !== clientId || !claims.jti)
      return answer(response, 400, { error: "invalid_client" });
    const scope = form.get("scope");
    const error = state.tokenError(scope ?? "");
    if (error) return answer(response, 400, { error });
    state.tokensAsked.push({ scope, claims });
    const access_token = `token-${state.tokensAsked.length}`;
    state.tokens.set(access_token, scope ?? "");
    answer(response, 200, { access_token, token_type: "Bearer", expires_in: state.expiresIn, scope });
  }

  async function verified(token: string, audience: string): Promise<JWTPayload | undefined> {
    const options = { algorithms: ["RS256"], issuer: clientId, audience, clockTolerance: "1000y" };
    const done = await jwtVerify(token, createLocalJWKSet(state.toolKeys), options).catch(() => undefined);
    return done?.payload;
  }

  const isAllowed = (request: IncomingMessage, scope: string): boolean =>
    state.tokens.get((request.headers.authorization ?? "").replace(/^Bearer /, "")) === scope;

  async function takeScore(request: IncomingMessage, response: ServerResponse, line_item: string) {
    const body = await text(request);
    if (!isAllowed(request, scopes.score)) return answer(response, 401);
    if (request.headers["content-type"] !== "application/vnd.ims.lis.v1.score+json")
      return answer(response, 415);
    const score: PostedScore = { line_item, ...JSON.parse(body) };
    state.scoresPosted += 1;
    const fault = state.scoreFault(score, state.scoresPosted);
    if (fault !== undefined) return fail(response, fault);
    const key = `${line_item} ${score.userId}`;
    const former = state.results.get(key);
    if (former && former.timestamp >= score.timestamp) return answer(response, 409);
    state.results.set(key, score);
    state.scores.push(score);
    answer(response, 204);
  }

  async function tellMembers(request: IncomingMessage, response: ServerResponse, asked: URLSearchParams) {
    if (!isAllowed(request, scopes.roster)) return answer(response, 401);
    state.rostersRead.push(request.url ?? "");
    const page = Number(asked.get("page") ?? 1);
    const fault = state.rosterFault(page);
    if (fault !== undefined) return fail(response, fault);
    const since = asked.has("since");
    const from = (page - 1) * state.pageSize;
    const all = since ? state.differences : state.members;
    const members = all.slice(from, from + state.pageSize);
    const isLast = from + state.pageSize >= all.length;
    const next = state.nextPage(`${issuer()}/memberships?page=${page + 1}${since ? "&since=1" : ""}`);
    const link = isLast
      ? `<${issuer()}/memberships?since=1>; rel="differences"`
      : `<${next}>; rel="next", <${issuer()}/memberships?since=1>; rel=differences`;
    const content = { id: `${issuer()}/memberships`, context: { id: "course-1" }, members };
    response.setHeader("link", link);
    answer(response, 200, content, "application/vnd.ims.lti-nrps.v2.membershipcontainer+json");
  }

  async function takeDeepLinks(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const claims = await verified(form.get("JWT") ?? "", issuer());
    if (claims) state.deepLinks.push(claims);
    response.writeHead(claims ? 200 : 400, { "content-type": "text/html" });
    response.end(`<!doctype html><html lang="en"><title>LMS</title><main><h1>Links came</h1></main></html>`);
  }

  async function fail(response: ServerResponse, fault: Exclude<Fault, undefined>): Promise<void> {
    if (fault === "slow") return; // No response.
    if (fault === "reset") return void response.destroy();
    if (fault === "redirect") return void response.writeHead(301, { location: "/elsewhere" }).end();
    if (fault === "html")
      return void response.writeHead(200, { "content-type": "text/html" }).end("<p>Sign in</p>");
    if (state.retryAfter) response.setHeader("retry-after", state.retryAfter);
    answer(response, fault, {});
  }

  return { state, scopes, serve };
}

function answer(response: ServerResponse, status: number, body?: object, type = "application/json"): void {
  response.writeHead(status, { "content-type": type });
  response.end(body && status !== 204 ? JSON.stringify(body) : undefined);
}
