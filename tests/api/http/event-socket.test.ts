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
