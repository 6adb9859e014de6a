import type { ServiceUnderTest } from "./service.ts";

/** A parsed response, typed by the contract. */
// biome-ignore lint/suspicious/noExplicitAny: the contract is held by the tests, and any other answer is a difference
export type JsonBody = any;

/** An API client of one user. */
export type ApiClient = {
  /** The body of a response with the method's usual status; throws otherwise. */
  get(path: string): Promise<JsonBody>;
  post(path: string, body?: object): Promise<JsonBody>;
  put(path: string, body: object): Promise<JsonBody>;
  patch(path: string, body: object): Promise<JsonBody>;
  remove(path: string, body?: object): Promise<JsonBody>;
  /** Status and detail of an expected error. */
  refused(method: string, path: string, body?: object): Promise<string>;
  token: string | undefined;
};

export function createApiClient({ url }: ServiceUnderTest, token?: string): ApiClient {
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { ok: response.ok, status: response.status, body: text ? JSON.parse(text) : undefined };
  };
  const demand = async (method: string, path: string, body?: object): Promise<JsonBody> => {
    const answer = await ask(method, path, body);
    if (!answer.ok)
      throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    token,
    get: (path) => demand("GET", path),
    post: (path, body) => demand("POST", path, body),
    put: (path, body) => demand("PUT", path, body),
    patch: (path, body) => demand("PATCH", path, body),
    remove: (path, body) => demand("DELETE", path, body),
    refused: async (method, path, body) => {
      const answer = await ask(method, path, body);
      return `${answer.status} ${answer.body?.detail}`;
    },
  };
}

export const simulatedPassword = "a word for one term";

/** Signs in at the simulated time: a token lasts half an hour of it. */
export async function signInForApiClient(service: ServiceUnderTest, email: string): Promise<ApiClient> {
  const { access_token } = await createApiClient(service).post("/auth/login", {
    email,
    password: simulatedPassword,
  });
  return createApiClient(service, access_token);
}

/** Runs work for each item, with that concurrency. */
export async function forEachConcurrently<T>(
  list: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const rest = [...list];
  const worker = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
