import { beforeEach, describe, expect, it } from "vitest";
import {
  ags,
  authorizationOf,
  launchedClaims,
  ltiClaim,
  nrps,
  openLaunch,
  registerTool,
  send,
  toolCourse,
  toolServer,
} from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
beforeEach(() => world.setNow("2026-03-10T12:00:00.000Z"));

type Made = Awaited<ReturnType<typeof toolCourse>>;

const open = () => toolCourse(world, make, { tool: { in_navigation: true, name: "Video" } });
const listed = (one: Made, person = one.learner) =>
  world.as(person).get(`/offerings/${one.offering.id}/lti-tools`);
const launch = (one: Made, person = one.learner, tool = one.tool.id) =>
  world.as(person).get(`/offerings/${one.offering.id}/lti-tools/${tool}/launch`);

describe("a tool in the navigation of a course", () => {
  it("is listed in its offerings, for learners and staff", async () => {
    const one = await open();
    await registerTool(world, one.admin, one.university.id, { name: "Not in the navigation" });
    const elsewhere = await make.course(one.university.id);
    await registerTool(world, one.admin, one.university.id, {
      in_navigation: true,
      course_ids: [elsewhere.id],
    });
    for (const person of [one.learner, one.teacher]) {
      const { status, body } = await listed(one, person);
      expect([status, body]).toEqual([200, [{ id: one.tool.id, name: "Video" }]]);
    }
  });

  it("is launched with the offering as its resource link, and without a line item", async () => {
    const one = await open();
    const claims = await launchedClaims(world, (await launch(one)).body.launch_url);
    expect(claims).toMatchObject({
      [ltiClaim("message_type")]: "LtiResourceLinkRequest",
      [ltiClaim("resource_link")]: { id: `${one.offering.id}-0`, title: "Video" },
      [ltiClaim("context")]: { id: String(one.offering.id) },
      [ltiClaim("roles")]: ["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"],
      [ltiClaim("target_link_uri")]: "https://tool.example.com/launch",
    });
    expect(claims[ags]).not.toHaveProperty("lineitem");
    const roster = (claims[nrps] as { context_memberships_url: string }).context_memberships_url;
    const server = await toolServer(world, one.tool);
    const link = `${one.offering.id}-0`;
    expect((await server.get(`${roster}?rlid=${link}`)).body.members).toHaveLength(1);
    const { lineitems } = claims[ags] as { lineitems: string };
    const made = await server.lineItem("POST", lineitems, {
      label: "Watched",
      scoreMaximum: 5,
      resourceLinkId: link,
    });
    expect([made.status, made.body.resourceLinkId]).toEqual([201, link]);
    expect((await server.get(`${lineitems}?resource_link_id=${link}`)).body).toEqual([made.body]);
  });

  it("has the same pseudonym of a person as its items", async () => {
    const one = await open();
    const here = await launchedClaims(world, (await launch(one)).body.launch_url);
    const inItem = await launchedClaims(world, (await one.launch(one.learner)).body.launch_url);
    expect(here.sub).toBe(inItem.sub);
  });

  it("is closed to people without a seat, and to another university", async () => {
    const one = await open();
    const other = await open();
    const dropped = await make.person();
    await make.enrollment(dropped.id, one.offering.id, "DROPPED");
    for (const person of [await make.person(), dropped, other.teacher])
      for (const { status } of [await listed(one, person), await launch(one, person)])
        expect(status).toBe(403);
    expect((await launch(one, one.learner, other.tool.id)).status).toBe(404);
  });

  it("is not launched once it has left the navigation, also by an open launch", async () => {
    const one = await open();
    const { login, cookie } = await openLaunch(world, (await launch(one)).body.launch_url);
    if (!login) throw new Error("The launch was not started");
    await one.admin.put(`/universities/${one.university.id}/lti-tools/${one.tool.id}`, {
      in_navigation: false,
    });
    const query = new URLSearchParams(authorizationOf(login));
    const answer = await send(world, "GET", `/lti/tools/authorize?${query}`, { headers: { cookie } });
    expect(answer.status).toBe(404);
    expect((await launch(one)).status).toBe(404);
    expect((await listed(one)).body).toEqual([]);
  });
});
