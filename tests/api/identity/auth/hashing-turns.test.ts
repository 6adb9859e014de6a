import diagnostics from "node:diagnostics_channel";
import { request } from "node:http";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type HttpServer, startServer } from "../../../../server/http-server.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

// From this cost on, passwords are hashed in the few worker threads.
const world = openWorld({ BCRYPT_COST: "9", TRUSTED_PROXIES: "127.0.0.1" });
const make = makersOf(world);
let server: HttpServer;

beforeAll(async () => {
  server = await startServer({ deps: world.deps, port: 0 });
});
afterAll(() => server.close());
beforeEach(() => world.deps.db.execute(sql`truncate login_failures`));

type Attempt = { answered: Promise<number>; hangUp(): void };

/** A sign-in through a proxy, on a separate connection. */
function signIn(from: string, email: string, password = "wrong"): Attempt {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(`${server.url}/api/v1/auth/login`, {
    method: "POST",
    agent: false,
    headers: { "content-type": "application/json", "x-forwarded-for": from },
  });
  sent.on("response", (answer) => answer.resume().on("end", () => resolve(answer.statusCode ?? 0)));
  sent.on("error", reject);
  sent.end(JSON.stringify({ email, password }));
  promise.catch(() => {});
  return { answered: promise, hangUp: () => sent.destroy() };
}

const flood = (count: number, from = "198.51.100.1") =>
  Array.from({ length: count }, (_, n) => signIn(from, `${make.unique(`nobody${n}`)}@example.edu`));

/** The number of wrong passwords checked since the given count. */
async function looked(): Promise<number> {
  const { rows } = await world.deps.db.execute(
    sql`select count(*)::int as failed from audit_events where action = 'sign_in.failed'`,
  );
  return Number(rows[0]?.["failed"]);
}

async function account() {
  const body = { email: `${make.unique("who")}@example.edu`, password: "correct horse", full_name: "Ada" };
  expect((await world.as().post("/auth/register", body)).status).toBe(201);
  return body;
}

function holdHashes() {
  const held: (() => void)[] = [];
  const post = Worker.prototype.postMessage;
  const spy = vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker, task) {
    held.push(() => post.call(this, task));
  });
  const letGo = () => {
    spy.mockRestore();
    for (const hash of held.splice(0)) hash();
  };
  onTestFinished(letGo);
  return { letGo };
}

function countRequests(): () => number {
  let begun = 0;
  const count = () => {
    begun += 1;
  };
  diagnostics.subscribe("http.server.request.start", count);
  onTestFinished(() => void diagnostics.unsubscribe("http.server.request.start", count));
  return () => begun;
}

describe("sign-ins that wait to have a password hashed", () => {
  it("from 120 connections of one address delay everyone else by one or two of them", async () => {
    const { email, password } = await account();
    const hashes = holdHashes();
    const begun = countRequests();
    const many = flood(120);
    const order: string[] = [];
    for (const { answered } of many) void answered.then(() => order.push("flood"));
    await expect.poll(begun, { message: "120 requests arrive" }).toBe(120);
    const other = signIn("203.0.113.7", email, password).answered.then((status) => {
      order.push("someone else");
      return status;
    });
    await expect.poll(begun, { message: "the other request arrives" }).toBe(121);
    hashes.letGo();
    expect(await other).toBe(200);
    // Sign-ins already in threads, and those checked during the account's check.
    expect(order.indexOf("someone else")).toBeLessThan(20);
    const statuses = await Promise.all(many.map(({ answered }) => answered));
    expect(new Set(statuses)).toEqual(new Set([401]));
  });

  it("are not hashed if the client has hung up", async () => {
    const before = await looked();
    const { email, password } = await account();
    const hashes = holdHashes();
    const begun = countRequests();
    const many = flood(60);
    await expect.poll(begun, { message: "60 requests arrive" }).toBe(60);
    for (const { hangUp } of many) hangUp();
    const threads = Math.min(4, availableParallelism());
    await expect
      .poll(() => world.log.filter((line) => line["status_code"] === 499).length, {
        message: "those that wait are given up",
      })
      .toBeGreaterThanOrEqual(60 - threads);
    hashes.letGo();
    expect(await signIn("198.51.100.1", email, password).answered).toBe(200);
    expect((await looked()) - before).toBeLessThanOrEqual(threads);
    expect(world.log.filter((line) => line["level"] === "ERROR" && line["status_code"] === 499)).toEqual([]);
  });
});

describe("the audit log behind a proxy", () => {
  it("has the client's address from the proxy", async () => {
    const email = `${make.unique("who")}@example.edu`;
    const fromOf = async () => {
      const { rows } = await world.deps.db.execute(
        sql`select from_address from audit_events where action = 'sign_in.failed' order by id desc limit 1`,
      );
      return rows[0]?.["from_address"];
    };
    expect(await signIn("192.0.2.1, 2001:db8::7", email).answered).toBe(401);
    expect(await fromOf()).toBe("2001:db8::7");
  });
});
