import diagnostics from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import type { ClientRequest, RequestListener, Server, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { createSocketFetch } from "../../../../lib/platform/llm/socket-fetch.ts";
import { heldMegabytes } from "../../../support/heap.ts";
import { createPatientServer } from "../../../support/patient-server.ts";
import { certificateFile } from "../../../support/tls-front.ts";

async function served(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (answer: RequestListener) => served(createPatientServer(answer));

async function serveSilence(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Sends the first chunk and leaves responses open. */
async function serveSlowly() {
  const open: ServerResponse[] = [];
  const url = await serve((request, response) => {
    request.resume().on("end", () => {
      response.write("Wel");
      open.push(response);
    });
  });
  return { url, open };
}

const fetch = createSocketFetch();

it("sends the method, the headers and the body, and answers the status, the headers and the body", async () => {
  const url = await serve(async (request, response) => {
    response.writeHead(418, { "x-request-id": "17" });
    const { method, headers } = request;
    response.end(JSON.stringify({ method, said: headers["x-said"], body: await text(request) }));
  });
  const ask = () => fetch(url, { method: "POST", headers: { "X-Said": "yes" }, body: "Wörld 🎓" });
  const response = await ask();
  expect(response).toMatchObject({ status: 418, ok: false });
  expect(response.headers.get("x-request-id")).toBe("17");
  const sent = { method: "POST", said: "yes", body: "Wörld 🎓" };
  expect(await response.json()).toEqual(sent);
  expect(JSON.parse(await (await ask()).text())).toEqual(sent);
});

it("uses TLS for https", async () => {
  const pem = readFileSync(certificateFile, "utf8");
  const known = getCACertificates();
  setDefaultCACertificates([...known, pem]);
  onTestFinished(() => setDefaultCACertificates(known));
  const server = createSecureServer({ key: pem, cert: pem }, (_, response) => response.end("in secret"));
  const url = await served(server as unknown as Server);
  expect(await (await fetch(url.replace("http:", "https:"))).text()).toBe("in secret");
});

it("returns a redirect as it is, and follows none", async () => {
  const asked: string[] = [];
  const url = await serve((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  expect(await fetch(`${url}/here`, { method: "POST", body: "key" })).toMatchObject({ status: 307 });
  expect(asked).toEqual(["/here"]);
});

it("keeps nothing of its request during the response", async () => {
  const { url, open } = await serveSlowly();
  const before = await heldMegabytes();
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => fetch(url, { method: "POST", body: "long ".repeat(200_000) })),
  );
  expect((await heldMegabytes()) - before).toBeLessThan(5);
  for (const response of open) response.end("come.");
  for (const response of responses) expect(await response.text()).toBe("Welcome.");
});

it.each([
  ["connection", "http"],
  ["TLS handshake", "https"],
])("gives up if no server accepts the request after the %s has begun", async (_, scheme) => {
  const port = await serveSilence();
  // biome-ignore lint/plugin: the request is never accepted, before the timeout or after it
  const asked = createSocketFetch({ connectTimeoutMs: 50 })(`${scheme}://127.0.0.1:${port}`, {
    method: "POST",
    body: "long ".repeat(4_000_000),
  });
  await expect(asked).rejects.toMatchObject({ code: "ETIMEDOUT" });
});

it("waits as long as the server thinks", async () => {
  const { promise: sent, resolve } = Promise.withResolvers<{ request: ClientRequest }>();
  diagnostics.subscribe("http.client.request.start", resolve as never);
  onTestFinished(() => void diagnostics.unsubscribe("http.client.request.start", resolve as never));
  const url = await serve(async (_, response) => {
    const { request } = await sent;
    request.emit("timeout");
    response.write("I ");
    request.emit("timeout");
    response.end("think.");
  });
  expect(await (await fetch(url)).text()).toBe("I think.");
});

it("rejects with the reason of a signal that is given before the answer, or was given before", async () => {
  const port = await serveSilence();
  const controller = new AbortController();
  const asked = fetch(`http://127.0.0.1:${port}`, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
  await expect(
    fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.abort(new Error("never")) }),
  ).rejects.toThrow("never");
});

it("cuts an answer that is being read when its signal is given, and the other end sees it", async () => {
  const { url, open } = await serveSlowly();
  const controller = new AbortController();
  const { body } = await fetch(url, { signal: controller.signal });
  const left = new Promise((resolve) => open[0]?.once("close", resolve));
  await expect(
    (async () => {
      for await (const _ of body ?? []) controller.abort();
    })(),
  ).rejects.toThrow();
  await left;
});

it.each([200, 400])("decodes a compressed response with the status %i", async (status) => {
  const url = await serve((_, response) => {
    response.writeHead(status, { "content-encoding": "gzip" }).end(gzipSync('{"said":"no"}'));
  });
  expect(await (await fetch(url)).json()).toEqual({ said: "no" });
  expect(await (await fetch(url)).text()).toBe('{"said":"no"}');
});

it("reports a response that the other end cut off", async () => {
  const { url, open } = await serveSlowly();
  const response = await fetch(url);
  open[0]?.destroy();
  await expect(response.text()).rejects.toMatchObject({ code: "ECONNRESET" });
});
