import type { Browser } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";

/** Sends a request and expects that status. */
export type Asking = (
  method: string,
  path: string,
  status: number,
  body?: object,
) => ReturnType<Browser["send"]>;

/** Sends requests as the browser's user. */
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
