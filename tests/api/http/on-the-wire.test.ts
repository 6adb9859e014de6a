import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditEvents } from "../../../schema/db/identity/audit.ts";
import { type HttpServer, startServer } from "../../../server/http-server.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
let server: HttpServer;

beforeAll(async () => {
  server = await startServer({ deps: world.deps, port: 0 });
});
afterAll(() => server.close());

/** The raw response to these bytes, until the connection closes. */
async function answerTo(lines: readonly string[], body = ""): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${[...lines, `Host: ${hostname}`, "Connection: close"].join("\r\n")}\r\n\r\n${body}`);
  return text(socket);
}

const statusIn = (answer: string): string => /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? answer;

describe("an ambiguous request", () => {
  it.each([
    ["two lengths", ["Content-Length: 2", "Content-Length: 40"]],
    ["a length and chunks", ["Content-Length: 2", "Transfer-Encoding: chunked"]],
    ["an unknown transfer encoding", ["Transfer-Encoding: xchunked"]],
    ["a length that is no number", ["Content-Length: +2"]],
    ["a header over two lines", ["X-One: a", " b: c"]],
  ])("is rejected: %s", async (_, headers) => {
    const answer = await answerTo(["POST /api/v1/auth/check-email HTTP/1.1", ...headers], "{}");
    expect(statusIn(answer)).toBe("400");
  });
});

describe("methods that are no operation's", () => {
  it.each(["TRACE", "TRACK", "DEBUG", "PROPFIND"])("%s gives nothing of the request back", async (method) => {
    for (const path of ["/api/v1/courses", "/healthz", "/nowhere"]) {
      const answer = await answerTo([`${method} ${path} HTTP/1.1`, "Authorization: Bearer of-somebody"]);
      expect(statusIn(answer), path).toMatch(/^4\d\d$/);
      expect(answer).not.toContain("of-somebody");
    }
  });
});

describe("headers that a proxy would set, and anyone can write", () => {
  const written = [
    "X-Forwarded-Proto: http",
    "X-Forwarded-Host: evil.example",
    "X-Forwarded-For: 203.0.113.9",
  ];

  it("redirect no one elsewhere", async () => {
    for (const path of ["/api/v1/courses", "/app"]) {
      const answer = await answerTo([`GET ${path} HTTP/1.1`, ...written]);
      expect(statusIn(answer), path).toBe("200");
      expect(answer).not.toMatch(/^location:|evil\.example/im);
    }
  });

  it("are no address that a sign-in came from", async () => {
    const body = JSON.stringify({ email: "nobody@example.edu", password: "a guess" });
    const sent = ["POST /api/v1/auth/login HTTP/1.1", ...written, "Content-Type: application/json"];
    const answer = await answerTo([...sent, `Content-Length: ${body.length}`], body);
    expect(statusIn(answer)).toBe("401");
    const noted = await world.deps.db.select({ from: auditEvents.from_address }).from(auditEvents);
    expect(noted).toEqual([{ from: "127.0.0.1" }]);
  });
});
