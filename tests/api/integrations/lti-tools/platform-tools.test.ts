import { exportJWK } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { renewToolKeys } from "../../../../lib/integrations/lti/keys.ts";
import type { Client } from "../../../support/client.ts";
import {
  ags,
  issuer,
  launchedClaims,
  ltiClaim,
  nrps,
  toolAddresses,
  toolCourse,
  toolServer,
} from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { takeRsaKey } from "../../../support/rsa-keys.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
beforeEach(() => world.setNow("2026-03-10T12:00:00.000Z"));

let platform: Client;
let tool: Awaited<ReturnType<typeof registerPlatformTool>>;
beforeAll(async () => {
  platform = world.as(await make.holder("platform_admin", (await make.university()).id));
  tool = await registerPlatformTool();
});

async function registerPlatformTool(changes: object = {}) {
  await renewToolKeys(world.deps);
  const key = await takeRsaKey(2048);
  const jwk = { ...(await exportJWK(key.publicKey)), alg: "RS256", use: "sig", kid: "tool" };
  const given = {
    name: "Video",
    ...toolAddresses,
    jwks_url: null,
    public_jwks: { keys: [jwk] },
    in_navigation: true,
  };
  const { status, body } = await platform.post("/admin/lti-tools", { ...given, ...changes });
  expect([status, body.detail]).toEqual([201, undefined]);
  return { ...(body as { id: number; client_id: string; deployment_ids: string[] }), key };
}

type Made = Awaited<ReturnType<typeof toolCourse>>;

const launch = (one: Made, person = one.learner) =>
  world.as(person).get(`/offerings/${one.offering.id}/lti-tools/${tool.id}/launch`);
const launched = async (one: Made, person = one.learner) =>
  launchedClaims(world, (await launch(one, person)).body.launch_url);

describe("a tool of the platform", () => {
  it("is managed by the platform's administrators alone", async () => {
    const one = await registerPlatformTool({ name: "Whiteboard" });
    expect(one).toMatchObject({ university_id: null, course_ids: null, deployment_ids: [] });
    const changed = await platform.put(`/admin/lti-tools/${one.id}`, { name: "Board" });
    expect([changed.status, changed.body.name]).toEqual([200, "Board"]);
    const { admin, university } = await toolCourse(world, make);
    expect((await admin.get("/admin/lti-tools")).status).toBe(403);
    for (const path of [`/admin/lti-tools/${one.id}`, `/universities/${university.id}/lti-tools/${one.id}`])
      expect([403, 404]).toContain((await admin.put(path, { name: "Mine" })).status);
    expect((await admin.delete(`/admin/lti-tools/${one.id}`)).status).toBe(403);
    const own = (await admin.get(`/universities/${university.id}/lti-tools`)).body.map(
      ({ id }: { id: number }) => id,
    );
    expect(own).not.toContain(one.id);
    expect((await platform.delete(`/admin/lti-tools/${one.id}`)).status).toBe(204);
    expect((await platform.put(`/admin/lti-tools/${one.id}`, { name: "Board" })).status).toBe(404);
  });

  it("is not the tool of a university", async () => {
    const { tool: own } = await toolCourse(world, make);
    expect((await platform.put(`/admin/lti-tools/${own.id}`, { name: "Mine" })).status).toBe(404);
    const listed = (await platform.get("/admin/lti-tools")).body.map(({ id }: { id: number }) => id);
    expect(listed).toContain(tool.id);
    expect(listed).not.toContain(own.id);
  });

  it("cannot be limited to courses", async () => {
    const { course } = await toolCourse(world, make);
    expect((await platform.put(`/admin/lti-tools/${tool.id}`, { course_ids: [course.id] })).status).toBe(422);
  });

  it("runs in every university, under another deployment and other pseudonyms", async () => {
    const [one, other] = [await toolCourse(world, make), await toolCourse(world, make)];
    await make.enrollment(one.learner.id, other.offering.id);
    const here = await launched(one);
    const there = await launched(other, one.learner);
    expect([here, there]).toMatchObject([
      { aud: tool.client_id, [ltiClaim("deployment_id")]: `university-${one.university.id}` },
      { aud: tool.client_id, [ltiClaim("deployment_id")]: `university-${other.university.id}` },
    ]);
    expect(here.sub).not.toBe(there.sub);
    expect((await launched(one)).sub).toBe(here.sub);
  });

  it("reads rosters and stores scores by the pseudonyms of each university", async () => {
    const [one, other] = [await toolCourse(world, make), await toolCourse(world, make)];
    const server = await toolServer(world, tool);
    const here = await launched(one);
    const there = await launched(other);
    const roster = (here[nrps] as { context_memberships_url: string }).context_memberships_url;
    expect((await server.get(`${roster}?limit=1`)).body.members).toMatchObject([{ user_id: here.sub }]);
    const { lineitems } = here[ags] as { lineitems: string };
    const { id } = (await server.lineItem("POST", lineitems, { label: "Watched", scoreMaximum: 10 })).body;
    const score = (userId: unknown) => ({
      ...{ userId, scoreGiven: 5, scoreMaximum: 10, timestamp: "2026-03-10T11:59:00.000Z" },
      ...{ activityProgress: "Completed", gradingProgress: "FullyGraded" },
    });
    expect((await server.score(id, score(there.sub))).status).toBe(404);
    expect((await server.score(id, score(here.sub))).status).toBe(204);
    expect((await server.get(`${id}/results`)).body).toMatchObject([{ userId: here.sub, resultScore: 5 }]);
  });

  it("is chosen by teachers for items, which learners launch", async () => {
    const one = await toolCourse(world, make);
    const listed = await world.as(one.teacher).get(`/courses/${one.course.id}/lti-tools`);
    expect(listed.body.map(({ id }: { id: number }) => id)).toEqual(
      [one.tool.id, tool.id].toSorted((a, b) => a - b),
    );
    const { content_type_id } = one.item;
    const item = await world.as(one.teacher).post("/content/", {
      ...{ course_id: one.course.id, module_id: one.module.id, content_type_id, title: "Film" },
      data_json: { lti_tool_id: tool.id, max_points: 5 },
    });
    expect([item.status, item.body.detail]).toEqual([201, undefined]);
    const start = await world
      .as(one.learner)
      .get(`/offerings/${one.offering.id}/external-tools/${item.body.id}/launch`);
    const claims = await launchedClaims(world, start.body.launch_url);
    expect(claims).toMatchObject({
      [ltiClaim("resource_link")]: { id: `${one.offering.id}-${item.body.id}` },
      [ags]: { lineitem: `${issuer}/lti/tools/offerings/${one.offering.id}/line-items/${item.body.id}` },
    });
  });
});
