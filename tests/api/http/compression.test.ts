import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type HttpServer, startServer } from "../../../server/http-server.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openSession } from "../tutor/chat/support.ts";

const world = openWorld();
const make = makersOf(world);
let server: HttpServer;

beforeAll(async () => {
  server = await startServer({ deps: world.deps, port: 0 });
});
afterAll(() => server.close());

type Sent = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };

/** The raw response. */
const ask = (path: string, headers: Record<string, string> = {}, method = "GET", body = "") =>
  new Promise<Sent>((resolve, reject) => {
    const sent = request(server.url + path, { method, headers }, async (response) => {
      const parts: Buffer[] = await response.toArray();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) });
    });
    sent.on("error", reject).end(body);
  });

const gzip = { "accept-encoding": "br;q=0.5, gzip" };

it("responses over 1 KB are compressed if the client accepts that", async () => {
  const { id } = await make.university();
  for (let count = 0; count < 10; count++) await make.course(id);
  const plain = await ask("/api/v1/courses/");
  const small = await ask("/api/v1/courses/", gzip);
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(plain.headers["vary"]).toMatch(/accept-encoding/i);
  expect(small.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(small.body)).toEqual(plain.body);
  expect(small.body.length).toBeLessThan(plain.body.length / 3);
  expect(small.headers["etag"]).toBe(plain.headers["etag"]);

  for (const asset of ["/docs/swagger-ui-dist/swagger-ui-bundle.js", "/openapi.json"])
    expect((await ask(asset, gzip)).headers["content-encoding"], asset).toBe("gzip");
});

it("small responses, errors and those without a body are sent unchanged", async () => {
  for (const path of ["/healthz", "/api/v1/courses/999999", "/api/v1/courses/abc"]) {
    const reply = await ask(path, gzip);
    expect(reply.headers["content-encoding"], path).toBeUndefined();
    expect(JSON.parse(reply.body.toString()), path).toBeTypeOf("object");
  }
  const { headers } = await ask("/api/v1/courses/");
  const same = await ask("/api/v1/courses/", { ...gzip, "if-none-match": String(headers["etag"]) });
  expect([same.status, same.headers["content-encoding"], same.body.length]).toEqual([304, undefined, 0]);
});

it("a stream is sent unchanged", async () => {
  const { item } = await make.topic();
  const client = world.as(await make.person());
  const { id } = await openSession(client, item.id);
  const headers = {
    ...gzip,
    authorization: `Bearer ${await client.token}`,
    "content-type": "application/json",
  };
  const path = `/api/v1/chat/sessions/${id}/messages`;
  const reply = await ask(path, headers, "POST", JSON.stringify({ content: "Start." }));
  expect(reply.headers["content-type"]).toMatch("text/event-stream");
  expect(reply.headers["content-encoding"]).toBeUndefined();
  expect(reply.body.toString()).toMatch(/^data: /);
});
