import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type HttpServer, startServer } from "../../../server/http-server.ts";
import { openWorld } from "../../support/world.ts";
import { hold, openConversation } from "../tutor/chat/support.ts";

const world = openWorld();
let server: HttpServer;

beforeAll(async () => {
  server = await startServer({ deps: world.deps, port: 0 });
});
afterEach(() => {
  world.llm.reset();
  vi.restoreAllMocks();
});
afterAll(() => server.close());

it("an answer is written once, also if a server was created before its modules were loaded", async () => {
  const alreadySent = new URL("../../../server/already-sent.ts", import.meta.url).href;
  const script = `
    const { createAdaptorServer } = await import("@hono/node-server");
    const answer = async () => (await import("${alreadySent}")).alreadySent();
    const server = createAdaptorServer({
      fetch: async (_, { outgoing }) => (outgoing.end("once"), answer()),
    }).listen(0, "127.0.0.1", async () => {
      const response = await fetch("http://127.0.0.1:" + server.address().port);
      console.log(response.status, await response.text());
      server.close();
    });`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", script],
    { cwd: path.resolve(import.meta.dirname, "../../..") },
  );
  expect([stdout, stderr]).toEqual(["200 once\n", ""]);
});

it("a HEAD request during an answer gets the headers, and nothing else is written", async () => {
  const { client, session } = await openConversation(world);
  const { held, release } = hold();
  world.llm.script({ chunks: ["One ", held, "two."] });
  const complained = vi.spyOn(console, "error").mockImplementation(() => {});
  const said = session.say("Why?");
  await expect.poll(() => world.llm.requests.length).toBe(1);
  const address = `${server.url}/api/v1/chat/sessions/${session.id}/stream`;
  const headers = { authorization: `Bearer ${await client.token}` };
  const head = await fetch(address, { method: "HEAD", headers });
  expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect(await head.text()).toBe("");
  const listened = await fetch(address, { headers });
  release();
  expect(await listened.text()).toBe((await said).text);
  expect(complained).not.toHaveBeenCalled();
});
