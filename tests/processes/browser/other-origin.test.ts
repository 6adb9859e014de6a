import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { createPatientServer } from "../../support/patient-server.ts";
import { type Relay, startRelay } from "../../support/relay.ts";
import { openWorld } from "../../support/world.ts";

const entry = path.resolve(import.meta.dirname, "../../../client/client.ts");

/** The browser code of another frontend that uses the typed client. */
const learn = (api: string, item: number) => `(async () => {
  const { askTutor, createPlatformClient, dataOf, inMemory } = await import("/client.js");
  const session = inMemory();
  const client = createPlatformClient({ baseUrl: "${api}", session });
  const account = { email: "ada@example.edu", password: "a password" };
  await dataOf(client.register({ body: { ...account, full_name: "Ada" } }));
  session.write(await dataOf(client.login({ body: account })));
  const { full_name } = await dataOf(client.getMyProfile());

  const opened = await dataOf(client.createChatSession({ body: { content_item_id: ${item} } }));
  const events = [];
  for await (const event of askTutor(client, { sessionId: opened.id, content: "Start.", attempts: 10 })) {
    events.push("restart" in event ? "restart" : event.done ? "end" : event.content);
    if (events.length === 1) await cut();
  }

  const wrong = { email: "ada@example.edu", password: "wrong" };
  await client.login({ body: wrong });
  const refused = await dataOf(client.login({ body: wrong })).catch((error) => error);
  return { full_name, events, refused: [refused.status, refused.retryAfterSeconds, typeof refused.requestId] };
})()`;

describe.skipIf(!systemBrowser)("a page of another origin, in a browser", () => {
  const world = openWorld({ LOGIN_MAX_FAILURES: "1" });
  const browser = openBrowser(world);
  const make = makersOf(world);
  let frontend: Server;
  let relay: Relay;

  beforeAll(async () => {
    const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false });
    frontend = createPatientServer((request, response) => {
      const isScript = request.url === "/client.js";
      response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? outputFiles[0]?.contents : "<!doctype html><title>A frontend</title>");
    });
    await new Promise<void>((resolve) => frontend.listen(0, "127.0.0.1", resolve));
    relay = await startRelay(Number(new URL(browser.url()).port));
  });
  afterAll(async () => {
    frontend?.close();
    relay?.cut();
    await relay?.close();
  });

  it("signs in, receives an answer completely although its stream is cut, and reads when to retry", async () => {
    const { item } = await make.topic();
    const { promise: wasCut, resolve: goOn } = Promise.withResolvers<void>();
    world.llm.script({ chunks: ["Half of", wasCut, " an answer."] });
    const { port } = frontend.address() as AddressInfo;
    const { page } = await browser.visit(`http://localhost:${port}/`);
    await page.exposeFunction("cut", () => {
      relay.cut();
      goOn();
    });
    expect(await page.evaluate(learn(`http://127.0.0.1:${relay.port}`, item.id))).toEqual({
      full_name: "Ada",
      events: ["Half of", "restart", "Half of", " an answer.", "end"],
      refused: [429, expect.any(Number), "string"],
    });
  });
});
