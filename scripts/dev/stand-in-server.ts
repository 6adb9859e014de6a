import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type StandInServer = { url: string; close(): Promise<void> };

/** Handles one request with a JSON body. */
export type Answer = (request: IncomingMessage, body: unknown, response: ServerResponse) => Promise<void>;

/** Listens on this machine only; port 0 takes a free one. `close` also breaks open connections. */
export async function startStandInServer(answer: Answer, port = 0): Promise<StandInServer> {
  // A client in the same process may be about to send, so idle connections are never closed by a timer.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    try {
      await answer(request, parse(await text(request)), response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parse(body: string): unknown {
  return body === "" ? undefined : JSON.parse(body);
}
