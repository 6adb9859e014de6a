import type { Browser } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";

/** Sends a request that has to be answered with that status. */
export type Asking = (
  method: string,
  path: string,
  status: number,
  body?: object,
) => ReturnType<Browser["send"]>;

/** Asks as whoever is signed in there. */
export const askingAs =
  (browser: Browser): Asking =>
  async (method, path, status, body) => {
    const reply = await browser.send(method, path, body);
    expect(
      reply.status === status,
      `${method} ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`,
    );
    return reply;
  };
