import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { requestShutdownSignal } from "../../../lib/http/lambda/shutdown-signal.ts";
import { createPatientServer } from "../../support/patient-server.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A stand-in for Lambda's Extensions API that records requests. */
async function startPlatform(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: string[] = [];
  const server = createPatientServer((request, response) => {
    const { method, url, headers } = request;
    asked.push(
      `${method} ${url} ${headers["lambda-extension-name"] ?? headers["lambda-extension-identifier"]}`,
    );
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { api: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

it("registers for no event, and then waits for one", async () => {
  const { api, asked } = await startPlatform((request, response) => {
    if (request.url?.endsWith("/register"))
      response.writeHead(200, { "Lambda-Extension-Identifier": "an-id" }).end("{}");
  });
  await requestShutdownSignal(api);
  await expect
    .poll(() => asked)
    .toEqual([
      "POST /2020-01-01/extension/register shutdown-signal",
      "GET /2020-01-01/extension/event/next an-id",
    ]);
});

it("does nothing without extensions, or without the platform", async () => {
  const { api, asked } = await startPlatform((_, response) => response.writeHead(404).end());
  await requestShutdownSignal(api);
  expect(asked).toHaveLength(1);
  await requestShutdownSignal("127.0.0.1:1");
  await requestShutdownSignal(undefined);
});
