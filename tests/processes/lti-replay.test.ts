import { request } from "node:http";
import { text } from "node:stream/consumers";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bindCourse } from "../support/lti-course.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../support/lti-platform-stand-in.ts";
import type { World } from "../support/world.ts";
import { type Deployment, openDeployment } from "./deployment.ts";

let deployment: Deployment;
let lms: LtiPlatformStandIn;
let root: string;
let path: string;

beforeAll(async () => {
  deployment = await openDeployment(2);
  lms = await startLtiPlatform();
  await deployment.enrollLearners(1);
  const [offering] = await deployment.rows<{ id: number; university: number }>(sql`
    select run.id, run.university_id as university from course_offerings as run order by run.id desc limit 1`);
  if (!offering) throw new Error("there is no offering");
  const db = { execute: async (query: ReturnType<typeof sql>) => ({ rows: await deployment.rows(query) }) };
  await bindCourse({ deps: { db } } as unknown as World, lms, {
    offering,
    university: { id: offering.university },
  });
  path = `/lti/${offering.university}`;
  root = `http://learn.example.edu${path}`;
});
afterAll(async () => {
  await lms.close();
  await deployment.close();
});

/** As behind a load balancer: all processes share one address. */
async function ask(server: number, where: string, body: string, headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<import("node:http").IncomingMessage>();
  const method = body ? "POST" : "GET";
  const of = { method, headers: { host: "learn.example.edu", ...headers } };
  request(deployment.servers[server]?.url + where, of, resolve)
    .on("error", reject)
    .end(body);
  const answer = await promise;
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** The form at the end of a launch, posted to both processes concurrently. */
async function launchAtBoth() {
  const asked = new URLSearchParams({
    iss: lms.issuer,
    client_id: lms.clientId,
    login_hint: "person-1",
    target_link_uri: `${root}/launch`,
  });
  const login = await ask(0, `${path}/login?${asked}`, "", {});
  const address = new URL(login.headers.location ?? "");
  const [cookie = ""] = (login.headers["set-cookie"]?.[0] ?? "").split(";");
  const nonce = address.searchParams.get("nonce") ?? "";
  const id_token = await lms.sign(lms.claims({ nonce, target: `${root}/launch`, now: new Date() }));
  const state = address.searchParams.get("state") ?? "";
  const form = new URLSearchParams({ state, id_token, challenge: "" }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", cookie };
  return Promise.all([0, 1].map((server) => ask(server, `${path}/launch`, form, headers)));
}

it("one of two processes accepts a concurrent launch, and so its code", async () => {
  for (let round = 0; round < 3; round += 1) {
    const launched = await launchAtBoth();
    expect(launched.map(({ status }) => status).toSorted()).toEqual([303, 400]);
    const [taken] = launched.flatMap(({ headers }) => headers.location ?? []);
    const code = new URLSearchParams(new URL(taken ?? "").hash.slice(1)).get("code");
    const headers = { "content-type": "application/json" };
    const exchanged = await Promise.all(
      [0, 1].map((server) => ask(server, "/api/v1/auth/launches", JSON.stringify({ code }), headers)),
    );
    expect(exchanged.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  }
});
