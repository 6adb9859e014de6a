import type { components } from "./api.ts";
import { operations } from "./operations.ts";

export type Tokens = Pick<components["schemas"]["TokenPair"], "access_token" | "refresh_token">;

/** Storage of a session: memory, browser storage or the caller's own. */
export type TokenStore = {
  read(): Tokens | undefined;
  /** Called with new tokens, or `undefined` when the session has ended. */
  write(tokens: Tokens | undefined): void;
};

export function inMemory(tokens?: Tokens): TokenStore {
  let kept = tokens;
  return {
    read: () => kept,
    write(renewed) {
      kept = renewed;
    },
  };
}

type Send = (request: Request) => Promise<Response>;

/**
 * Sends requests with the access token. After a 401 it is renewed once for all concurrent requests, which are
 * then repeated. Requests with their own `Authorization` are not changed.
 */
export function sendSignedIn(baseUrl: string, store: TokenStore, send: Send): Send {
  let renewing: Promise<Tokens | undefined> | undefined;

  async function renew(used: Tokens): Promise<Tokens | undefined> {
    const current = store.read();
    // Another request or tab has renewed it already.
    if (current && current.access_token !== used.access_token) return current;
    renewing ??= exchange(used).finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  async function exchange({ refresh_token }: Tokens): Promise<Tokens | undefined> {
    const address = baseUrl.replace(/\/$/, "") + operations.refreshTokens.path;
    const headers = { Authorization: `Bearer ${refresh_token}` };
    const response = await send(new Request(address, { method: "POST", headers }));
    if (response.ok) {
      const renewed = (await response.json()) as Tokens;
      store.write(renewed);
      return renewed;
    }
    // Only a rejection ends the session. An unreachable service does not.
    if (response.status === 401 || response.status === 403) store.write(undefined);
    return undefined;
  }

  return async (request) => {
    const tokens = store.read();
    if (!tokens || request.headers.has("Authorization")) return send(request);
    const again = request.clone();
    request.headers.set("Authorization", `Bearer ${tokens.access_token}`);
    const response = await send(request);
    const renewed = response.status === 401 ? await renew(tokens) : undefined;
    if (!renewed) return response;
    again.headers.set("Authorization", `Bearer ${renewed.access_token}`);
    return send(again);
  };
}
