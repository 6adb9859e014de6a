import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpServer, startServer } from "../../../server/http-server.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld({ BODY_STALL_SECONDS: "7" });
let server: HttpServer;

beforeAll(async () => {
  server = await startServer({ deps: world.deps, port: 0 });
});
afterAll(() => server.close());

/** Sends these bytes on a new connection. Returns it, and the request as the server has it. */
async function send(text: string): Promise<{ client: Socket; request: IncomingMessage }> {
  const { hostname, port } = new URL(server.url);
  const begun = Promise.withResolvers<IncomingMessage>();
  const begin = (message: unknown) => begun.resolve((message as { request: IncomingMessage }).request);
  diagnostics.subscribe("http.server.request.start", begin);
  const client = connect(Number(port), hostname);
  client.write(text.replaceAll("\n", "\r\n"));
  const request = await begun.promise;
  diagnostics.unsubscribe("http.server.request.start", begin);
  return { client, request };
}

const head = (length: number) =>
  `POST /api/v1/auth/check-email HTTP/1.1\nHost: localhost\nContent-Length: ${length}\n\n`;
const body = JSON.stringify({ email: "ada@example.edu" });

describe("a body of a request", () => {
  it("that stalls for the set time closes its connection", async () => {
    const { client, request } = await send(`${head(body.length)}{`);
    const closed = once(client.resume(), "close");
    await expect.poll(() => request.socket.timeout).toBe(7000);
    request.socket.emit("timeout");
    await closed;
  });

  it("waits while the service does not read it", async () => {
    const { client, request } = await send(`${head(body.length)}{`);
    const answer = once(client, "data");
    await expect.poll(() => request.socket.timeout).toBe(7000);
    const { readableHighWaterMark } = request;
    Object.defineProperty(request, "readableLength", { value: readableHighWaterMark, configurable: true });
    request.socket.emit("timeout");
    Reflect.deleteProperty(request, "readableLength");
    client.write(body.slice(1));
    expect(String((await answer)[0])).toContain("200 OK");
    client.destroy();
  });

  it("that arrived has no time limit for its answer", async () => {
    const { client, request } = await send(head(body.length) + body);
    await once(client, "data");
    expect(request.complete).toBe(true);
    expect(request.socket.timeout).not.toBe(7000);
    client.destroy();
  });
});
