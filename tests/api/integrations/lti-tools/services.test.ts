import { sql } from "drizzle-orm";
import type { JWTPayload } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  readLineItemsScope,
  rosterScope,
  scoreScope,
} from "../../../../lib/integrations/lti/service-scopes.ts";
import {
  ags,
  assertionClaims,
  issuer,
  launchedClaims,
  nrps,
  registerTool,
  send,
  sendForm,
  signAsTool,
  tokenForm,
  toolCourse,
  toolServer,
} from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { takeRsaKey } from "../../../support/rsa-keys.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";
const seconds = Date.parse(moment) / 1000;

type Made = Awaited<ReturnType<typeof toolCourse>>;
let made: Made;
beforeAll(async () => {
  made = await toolCourse(world, make);
});
beforeEach(() => world.setNow(moment));

/** The launched learner as the tool knows them, and the addresses of the services. */
async function launched({ launch, learner }: Made, person = learner) {
  const claims = await launchedClaims(world, (await launch(person)).body.launch_url);
  const endpoint = claims[ags] as { lineitems: string; lineitem: string };
  const roster = (claims[nrps] as { context_memberships_url: string }).context_memberships_url;
  return { userId: String(claims.sub), ...endpoint, roster };
}

const final = (userId: string, scoreGiven: number, timestamp = "2026-03-10T11:59:00.000Z") => ({
  ...{ userId, scoreGiven, scoreMaximum: 10, timestamp },
  ...{ activityProgress: "Completed", gradingProgress: "FullyGraded" },
});

const storedScores = async ({ item }: Made) =>
  (
    await world.deps.db.execute<{ score_obtained: string; status: string }>(
      sql`select score_obtained, status from lab_submissions where content_item_id = ${item.id} order by user_id`,
    )
  ).rows;

describe("an access token", () => {
  it("is granted to a signed assertion, with the known scopes", async () => {
    const assertion = await signAsTool(made.tool, assertionClaims(world, made.tool));
    const reply = await sendForm(world, "/lti/tools/token", tokenForm(assertion, `${scoreScope} openid`));
    expect([reply.status, reply.body]).toEqual([
      200,
      { access_token: expect.any(String), token_type: "Bearer", expires_in: 3600, scope: scoreScope },
    ]);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  it("is granted once for each jti", async () => {
    const form = tokenForm(await signAsTool(made.tool, assertionClaims(world, made.tool)));
    expect((await sendForm(world, "/lti/tools/token", form)).status).toBe(200);
    const { status, body } = await sendForm(world, "/lti/tools/token", form);
    expect([status, body]).toEqual([
      401,
      { error: "invalid_client", error_description: "jti was already used" },
    ]);
  });

  it.each([
    ["another audience", { aud: "https://other.example.com" }],
    ["another subject", { sub: "another" }],
    ["an unknown client", { iss: "unknown", sub: "unknown" }],
    ["no jti", { jti: undefined }],
    ["no expiry", { exp: undefined }],
    ["an expiry in the past", { iat: seconds - 900, exp: seconds - 600 }],
    ["an expiry in hours", { exp: seconds + 7200 }],
    ["a time in the future", { iat: seconds + 600, exp: seconds + 900 }],
  ])("is refused to %s", async (_, changes) => {
    const assertion = await signAsTool(made.tool, {
      ...assertionClaims(world, made.tool),
      ...(changes as JWTPayload),
    });
    const { status, body } = await sendForm(world, "/lti/tools/token", tokenForm(assertion));
    expect([status, body.error]).toEqual([401, "invalid_client"]);
  });

  it("is refused to another tool's key, an unknown key and an unsigned assertion", async () => {
    const claims = assertionClaims(world, made.tool);
    const other = await takeRsaKey(2048);
    const [, payload] = (await signAsTool(made.tool, claims)).split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    for (const assertion of [
      await signAsTool({ key: other }, claims),
      await signAsTool(made.tool, claims, "another"),
      `${none}.${payload}.`,
      "nonsense",
    ])
      expect((await sendForm(world, "/lti/tools/token", tokenForm(assertion))).body.error).toBe(
        "invalid_client",
      );
  });

  it.each([
    ["grant_type", "password", "unsupported_grant_type"],
    ["client_assertion_type", "other", "invalid_request"],
    ["client_assertion", "", "invalid_request"],
    ["scope", "openid", "invalid_scope"],
  ])("is refused with %s %j", async (name, value, error) => {
    const assertion = await signAsTool(made.tool, assertionClaims(world, made.tool));
    const { status, body } = await sendForm(world, "/lti/tools/token", {
      ...tokenForm(assertion),
      [name]: value,
    });
    expect([status, body.error]).toEqual([400, error]);
  });

  it("is needed, unexpired and with the scope of the service", async () => {
    const { lineitems, lineitem, roster } = await launched(made);
    for (const path of [lineitems, lineitem, `${lineitem}/results`, roster])
      expect((await send(world, "GET", path)).status).toBe(401);
    const server = await toolServer(world, made.tool, rosterScope);
    expect((await server.get(lineitems)).status).toBe(403);
    expect((await server.get(roster)).status).toBe(200);
    expect((await server.score(lineitem, {})).status).toBe(403);
    world.setNow("2026-03-10T13:00:01.000Z");
    expect((await server.get(roster)).status).toBe(401);
    const { token } = world.as(made.teacher);
    const headers = { authorization: `Bearer ${await token}` };
    expect((await send(world, "GET", roster, { headers })).status).toBe(401);
  });
});

describe("a score", () => {
  it("becomes the grade of the learner's item, and completes it", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitem } = await launched(one);
    const server = await toolServer(world, one.tool);
    expect((await server.score(lineitem, final(userId, 8.5))).status).toBe(204);
    expect(await storedScores(one)).toEqual([{ score_obtained: "17.00", status: "graded" }]);
    const progress = await world.deps.db.execute(sql`
      select completed_at is not null as done, progress_percent::float8 as percent from user_content_progress
      where user_id = ${one.learner.id} and content_item_id = ${one.item.id}`);
    expect(progress.rows).toEqual([{ done: true, percent: 100 }]);
    const { body } = await server.get(`${lineitem}/results`);
    expect(body).toEqual([
      { id: `${lineitem}/results/${userId}`, scoreOf: lineitem, userId, resultScore: 17, resultMaximum: 20 },
    ]);
  });

  it("counts by its timestamp: an older one is rejected, the same one changes nothing", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitem } = await launched(one);
    const server = await toolServer(world, one.tool);
    const at = (minute: number) => `2026-03-10T11:${minute}:00.000Z`;
    expect((await server.score(lineitem, final(userId, 5, at(30)))).status).toBe(204);
    expect((await server.score(lineitem, final(userId, 9, at(20)))).status).toBe(409);
    expect((await server.score(lineitem, final(userId, 5, at(30)))).status).toBe(204);
    expect((await server.score(lineitem, final(userId, 6, at(40)))).status).toBe(204);
    expect(await storedScores(one)).toEqual([{ score_obtained: "12.00", status: "graded" }]);
  });

  it("of concurrent requests, the latest stays and none is stored twice", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitem } = await launched(one);
    const server = await toolServer(world, one.tool);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        server.score(lineitem, final(userId, n % 11, `2026-03-10T11:00:${10 + n}.000Z`)),
      ),
    );
    expect(replies.every(({ status }) => status === 204 || status === 409)).toBe(true);
    expect(await storedScores(one)).toEqual([{ score_obtained: "0.00", status: "graded" }]);
  });

  it("that is not final changes nothing", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitem } = await launched(one);
    const server = await toolServer(world, one.tool);
    for (const gradingProgress of ["Pending", "PendingManual", "NotReady", "Failed"])
      expect((await server.score(lineitem, { ...final(userId, 5), gradingProgress })).status).toBe(204);
    const { scoreGiven: _, ...none } = final(userId, 5);
    expect((await server.score(lineitem, none)).status).toBe(204);
    expect(await storedScores(one)).toEqual([]);
  });

  it("does not replace a teacher's score", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitem } = await launched(one);
    const server = await toolServer(world, one.tool);
    await server.score(lineitem, final(userId, 5));
    const cell = `/assessments/offerings/${one.offering.id}/grades/${one.learner.id}/items/${one.item.id}`;
    const override = { score: 19, is_excused: false, reason: "Late news" };
    expect((await world.as(one.teacher).put(cell, override)).status).toBe(200);
    expect((await server.score(lineitem, final(userId, 9, moment))).status).toBe(204);
    const { body } = await server.get(`${lineitem}/results?user_id=${userId}`);
    expect(body).toMatchObject([{ resultScore: 19 }]);
  });

  it("is late by its submission time", async () => {
    const one = await toolCourse(world, make);
    await world.deps.db.execute(sql`
      update content_items set due_at = '2026-03-10T10:00:00Z' where id = ${one.item.id}`);
    const { userId, lineitem } = await launched(one);
    const server = await toolServer(world, one.tool);
    const submission = { submittedAt: "2026-03-10T09:00:00.000Z" };
    await server.score(lineitem, { ...final(userId, 5), submission });
    const late = async () =>
      (
        await world.deps.db.execute(
          sql`select is_late from lab_submissions where content_item_id = ${one.item.id}`,
        )
      ).rows;
    expect(await late()).toEqual([{ is_late: false }]);
    const again = { submittedAt: "2026-03-10T11:00:00.000Z" };
    await server.score(lineitem, { ...final(userId, 6, moment), submission: again });
    expect(await late()).toEqual([{ is_late: true }]);
  });

  it.each([
    ["without a person", { userId: undefined }, 422],
    ["without a time", { timestamp: "yesterday" }, 422],
    ["of the future", { timestamp: "2026-03-10T13:00:00.000Z" }, 422],
    ["below zero", { scoreGiven: -1 }, 422],
    ["without its maximum", { scoreMaximum: undefined }, 422],
    ["of unknown progress", { activityProgress: "Done" }, 422],
    ["with a NUL character", { comment: "a\u0000" }, 422],
    ["above the points", { scoreGiven: 11 }, 400],
    ["of an unknown person", { userId: "stranger" }, 404],
    ["of another tool's person", { userId: "A".repeat(22) }, 404],
  ])("%s is rejected, and stores nothing", async (_, changes, status) => {
    const one = await toolCourse(world, make);
    const { userId, lineitem } = await launched(one);
    const server = await toolServer(world, one.tool);
    expect((await server.score(lineitem, { ...final(userId, 5), ...changes })).status).toBe(status);
    expect(await storedScores(one)).toEqual([]);
  });

  it("of a person without a seat, or for another tool's item, is rejected", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitem } = await launched(one, one.teacher);
    const server = await toolServer(world, one.tool);
    expect((await server.score(lineitem, final(userId, 5))).status).toBe(404);
    const { lineitem: foreign } = await launched(made);
    const { userId: learner } = await launched(one);
    expect((await server.score(foreign, final(learner, 5))).status).toBe(404);
    const second = await registerTool(world, one.admin, one.university.id);
    const other = await toolServer(world, second);
    expect((await other.score(lineitem, final(learner, 5))).status).toBe(404);
    expect(await storedScores(one)).toEqual([]);
  });
});

describe("line items", () => {
  it("are the tool's graded items of the offering", async () => {
    const one = await toolCourse(world, make, { data: { resource_id: "quiz-7", tag: "final" } });
    const { lineitems, lineitem } = await launched(one);
    const data = { lti_tool_id: one.tool.id };
    await make.contentItem(one.module, one.university.id, { type: "external_tool", data_json: data });
    const second = await make.contentItem(one.module, one.university.id, {
      ...{ type: "external_tool", data_json: { ...data, max_points: 5 } },
    });
    const server = await toolServer(world, one.tool);
    const first = {
      ...{ id: lineitem, label: one.item.title, scoreMaximum: 20, resourceId: "quiz-7", tag: "final" },
      resourceLinkId: `${one.offering.id}-${one.item.id}`,
    };
    const all = await server.get(lineitems);
    expect(all.headers.get("content-type")).toBe("application/vnd.ims.lis.v2.lineitemcontainer+json");
    expect(all.body).toEqual([first, expect.objectContaining({ label: second.title, scoreMaximum: 5 })]);
    expect((await server.get(lineitem)).body).toEqual(first);
    for (const filter of ["tag=final", "resource_id=quiz-7", `resource_link_id=${first.resourceLinkId}`])
      expect((await server.get(`${lineitems}?${filter}`)).body).toEqual([first]);
    expect((await server.get(`${lineitems}?resource_link_id=1-1`)).body).toEqual([]);
    const page = await server.get(`${lineitems}?limit=1`);
    expect(page.body).toEqual([first]);
    const [, next = ""] = /<(.+)>; rel="next"/.exec(page.headers.get("link") ?? "") ?? [];
    const rest = await server.get(next);
    expect(rest.body).toMatchObject([{ label: second.title }]);
    expect(rest.headers.get("link")).toBeNull();
  });

  it("of another university, course or tool are not found", async () => {
    const { lineitems, lineitem } = await launched(made);
    const other = await toolCourse(world, make);
    const server = await toolServer(world, other.tool);
    for (const path of [lineitems, lineitem, `${lineitem}/results`])
      expect([path, (await server.get(path)).status]).toEqual([path, 404]);
    const second = await registerTool(world, made.admin, made.university.id);
    const own = await toolServer(world, second, readLineItemsScope);
    expect((await own.get(lineitems)).body).toEqual([]);
    expect((await own.get(lineitem)).status).toBe(404);
  });
});

describe("memberships", () => {
  it("are people with a seat and teachers, by pseudonym and in pages", async () => {
    const one = await toolCourse(world, make);
    for (let n = 0; n < 3; n += 1) await make.enrollment((await make.person()).id, one.offering.id);
    await make.enrollment((await make.person()).id, one.offering.id, "DROPPED");
    await make.enrollment((await make.person()).id, one.offering.id, "WAITLISTED");
    await world.deps.db.execute(sql`
      insert into course_offering_instructors (course_offering_id, user_id) values (${one.offering.id}, ${one.teacher.id})`);
    const { userId, roster } = await launched(one);
    const server = await toolServer(world, one.tool);
    const whole = await server.get(roster);
    expect(whole.headers.get("content-type")).toBe(
      "application/vnd.ims.lti-nrps.v2.membershipcontainer+json",
    );
    expect(whole.body).toMatchObject({
      id: roster,
      context: { id: String(one.offering.id), label: one.course.code, title: one.course.title },
    });
    expect(whole.body.members).toHaveLength(5);
    expect(whole.body.members).toContainEqual({
      ...{ user_id: userId, status: "Active" },
      roles: ["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"],
    });
    const found: string[] = [];
    for (let next: string | undefined = `${roster}?limit=2`; next; ) {
      const page = await server.get(next);
      found.push(...page.body.members.map((member: { user_id: string }) => member.user_id));
      [, next] = /<(.+)>; rel="next"/.exec(page.headers.get("link") ?? "") ?? [];
    }
    expect(found).toEqual(whole.body.members.map((member: { user_id: string }) => member.user_id));
    expect((await server.get(`${roster}?role=Instructor`)).body.members).toHaveLength(1);
    expect((await server.get(`${roster}?role=Mentor`)).body.members).toEqual([]);
    const link = `${one.offering.id}-${one.item.id}`;
    expect((await server.get(`${roster}?rlid=${link}`)).body.members).toHaveLength(5);
    expect((await server.get(`${roster}?rlid=1-1`)).status).toBe(404);
  });

  it("have names and addresses only for a tool that may know them", async () => {
    const one = await toolCourse(world, make, { tool: { shares_name: true, shares_email: true } });
    const { roster } = await launched(one);
    const server = await toolServer(world, one.tool);
    expect((await server.get(roster)).body.members).toMatchObject([
      { name: one.learner.full_name, email: one.learner.email },
    ]);
  });

  it("of another university are not found", async () => {
    const { roster } = await launched(made);
    const other = await toolCourse(world, make);
    const server = await toolServer(world, other.tool);
    expect((await server.get(roster)).status).toBe(404);
    const { body } = await server.get(`${issuer}/lti/tools/offerings/${other.offering.id}/memberships`);
    expect(body.members).toHaveLength(1);
  });

  it("end with the tool's deployment", async () => {
    const one = await toolCourse(world, make);
    const { roster } = await launched(one);
    const server = await toolServer(world, one.tool);
    await one.admin.delete(`/universities/${one.university.id}/lti-tools/${one.tool.id}`);
    expect((await server.get(roster)).status).toBe(404);
  });
});

describe("an item without points", () => {
  it("is completed by its learner, and is not in the gradebook", async () => {
    const one = await toolCourse(world, make);
    const item = await make.contentItem(one.module, one.university.id, {
      ...{ type: "external_tool", data_json: { lti_tool_id: one.tool.id } },
    });
    const complete = (content_item_id: number) =>
      world.as(one.learner).post("/progress/content", {
        ...{ content_item_id, course_offering_id: one.offering.id, progress_percent: 100 },
      });
    await complete(item.id);
    await complete(one.item.id);
    const { rows } = await world.deps.db.execute(sql`
      select content_item_id, completed_at is not null as done from user_content_progress
      where user_id = ${one.learner.id} order by content_item_id`);
    expect(rows).toEqual([
      { content_item_id: one.item.id, done: false },
      { content_item_id: item.id, done: true },
    ]);
    const graded = await world.deps.db.execute(
      sql`select item_id from gradebook_items_of_offering(${one.offering.id})`,
    );
    expect(graded.rows).toEqual([{ item_id: one.item.id }]);
  });
});
