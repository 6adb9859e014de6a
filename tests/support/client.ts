import type { Hono } from "hono";
import { allEndpointGroups } from "../../functions/groups.ts";
import type { Deps } from "../../lib/deps.ts";
import type { TokenBearer } from "../../lib/platform/secrets/tokens.ts";
import { checkAnswer } from "./contract-check.ts";

export type Reply = {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as the contract says it is
  body: any;
};

/** The token's user; rows of `users` also have its version. Sign-in properties go into the token. */
export type Person = Pick<TokenBearer, "id"> & Partial<TokenBearer>;

type Extra = { headers?: Record<string, string> };

/**
 * Sends requests as one person. Paths are relative to the API prefix; each response is checked against its
 * contract.
 */
export type Client = {
  token: Promise<string | undefined>;
  request(method: string, path: string, body?: unknown, extra?: Extra): Promise<Reply>;
  get(path: string, extra?: Extra): Promise<Reply>;
  post(path: string, body?: unknown, extra?: Extra): Promise<Reply>;
  put(path: string, body?: unknown, extra?: Extra): Promise<Reply>;
  patch(path: string, body?: unknown, extra?: Extra): Promise<Reply>;
  delete(path: string, extra?: Extra): Promise<Reply>;
};

export function clientOf(app: Hono, deps: Deps, person?: Person): Client {
  const token = person
    ? deps.tokens.issue(person).then((pair) => pair.access_token)
    : Promise.resolve(undefined);

  const request: Client["request"] = async (method, path, body, extra = {}) => {
    const bearer = await token;
    const response = await app.request(deps.config.API_V1_PREFIX + path, {
      method,
      headers: {
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...extra.headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : text,
    };
    checkAnswer(allEndpointGroups, method, path, reply);
    return reply;
  };

  return {
    token,
    request,
    get: (path, extra) => request("GET", path, undefined, extra),
    post: (path, body, extra) => request("POST", path, body, extra),
    put: (path, body, extra) => request("PUT", path, body, extra),
    patch: (path, body, extra) => request("PATCH", path, body, extra),
    delete: (path, extra) => request("DELETE", path, undefined, extra),
  };
}
