import type { components } from "./api.ts";
import { operations } from "./operations.ts";

export type Tokens = Pick<components["schemas"]["TokenPair"], "access_token" | "refresh_token">;

/** Where a sign-in is kept: in memory, in the browser's storage, or wherever the caller likes. */
export type TokenStore = {
  read(): Tokens | undefined;
  /** Called with new tokens, and with `undefined` when the sign-in has ended. */
  write(tokens: Tokens | undefined): void;
};

/** Keeps a sign-in for as long as the program runs. */
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
 * Sends requests with the access token of a sign-in. When it has expired (401), it is exchanged once, however many
 * requests find that out, and the request is sent again. A request with an `Authorization` of its own is left alone.
 */
export function sendSignedIn(baseUrl: string, store: TokenStore, send: Send): Send {
  let renewing: Promise<Tokens | undefined> | undefined;

  async function renew(used: Tokens): Promise<Tokens | undefined> {
    const current = store.read();
    // Another request, or another tab, has been faster.
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
    // Only a refusal ends the sign-in: a service that is out of reach says nothing of it.
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
