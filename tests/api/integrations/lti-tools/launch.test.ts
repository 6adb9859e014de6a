import { createLocalJWKSet, jwtVerify } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ags,
  authorizationOf,
  issuer,
  launchedClaims,
  ltiClaim,
  nrps,
  openLaunch,
  postedForm,
  registerTool,
  send,
  sendForm,
  toolCourse,
} from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";

let made: Awaited<ReturnType<typeof toolCourse>>;
beforeAll(async () => {
  made = await toolCourse(world, make);
});
beforeEach(() => world.setNow(moment));

const launchUrl = async (person = made.learner) => (await made.launch(person)).body.launch_url as string;

const authorize = (query: Record<string, string>, cookie: string) =>
  send(world, "GET", `/lti/tools/authorize?${new URLSearchParams(query)}`, { headers: { cookie } });

describe("a launch", () => {
  it("leads through the tool's login to a signed id token", async () => {
    const { status, body } = await made.launch(made.learner);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ target: "FRAME", tool_name: "Tool", expires_at: "2026-03-10T12:05:00.000Z" },
      launch_url: expect.stringContaining(`${issuer}/lti/tools/start?launch=`),
    });
    const { login, cookie, headers } = await openLaunch(world, body.launch_url);
    expect(login?.href).toContain("https://tool.example.com/login?keep=1&iss=");
    expect(Object.fromEntries(login?.searchParams ?? [])).toMatchObject({
      ...{ iss: issuer, client_id: made.tool.client_id, target_link_uri: "https://tool.example.com/launch" },
      ...{ lti_deployment_id: made.tool.deployment_ids[0], lti_storage_target: "_parent" },
    });
    for (const part of ["Secure", "HttpOnly", "SameSite=None", "Partitioned", "Path=/lti/tools/authorize"])
      expect(headers.getSetCookie()[0]).toContain(part);
    const page = await authorize(authorizationOf(login as URL), cookie);
    expect(page.status).toBe(200);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("content-security-policy")).toContain("form-action https://tool.example.com/");
    const { action, id_token = "", state } = postedForm(page.text);
    expect([action, state]).toEqual(["https://tool.example.com/launch", 'state "1"']);
    const jwks = (await send(world, "GET", "/lti/jwks")).body;
    const { payload } = await jwtVerify(id_token, createLocalJWKSet(jwks), {
      ...{ issuer, audience: made.tool.client_id, algorithms: ["RS256"], currentDate: new Date(moment) },
    });
    const link = `${made.offering.id}-${made.item.id}`;
    expect(payload).toMatchObject({
      ...{ nonce: "nonce-1", sub: login?.searchParams.get("login_hint"), locale: "en" },
      [ltiClaim("message_type")]: "LtiResourceLinkRequest",
      [ltiClaim("version")]: "1.3.0",
      [ltiClaim("deployment_id")]: made.tool.deployment_ids[0],
      [ltiClaim("target_link_uri")]: "https://tool.example.com/launch",
      [ltiClaim("resource_link")]: { id: link, title: made.item.title },
      [ltiClaim("roles")]: ["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"],
      [ltiClaim("context")]: {
        ...{ id: String(made.offering.id), label: made.course.code, title: made.course.title },
      },
      [ags]: {
        lineitems: `${issuer}/lti/tools/offerings/${made.offering.id}/line-items`,
        lineitem: `${issuer}/lti/tools/offerings/${made.offering.id}/line-items/${made.item.id}`,
      },
      [nrps]: {
        context_memberships_url: `${issuer}/lti/tools/offerings/${made.offering.id}/memberships`,
        service_versions: ["2.0"],
      },
    });
    expect(payload).not.toHaveProperty("name");
    expect(payload).not.toHaveProperty("email");
  });

  it("takes two round trips to the database with a known caller", async () => {
    await made.launch(made.learner);
    const countTrips = async <Value>(work: () => Promise<Value>): Promise<[Value, unknown]> => {
      world.log.length = 0;
      const value = await work();
      const counted = () => world.log.find(({ db_query_count }) => db_query_count !== undefined);
      await expect.poll(counted).toBeDefined();
      return [value, counted()?.["db_query_count"]];
    };
    const [{ body }, first] = await countTrips(() => made.launch(made.learner));
    const [{ login, cookie }, start] = await countTrips(() => openLaunch(world, body.launch_url));
    const [{ status }, second] = await countTrips(() => authorize(authorizationOf(login as URL), cookie));
    expect([first, start, second, status]).toEqual([1, 0, 1, 200]);
  });

  it("names people to a tool that may know them, and by other pseudonyms to each tool", async () => {
    const open = { shares_name: true, shares_email: true };
    const other = await registerTool(world, made.admin, made.university.id, open);
    const item = await make.contentItem(made.module, made.university.id, {
      ...{ type: "external_tool", data_json: { lti_tool_id: other.id } },
    });
    const path = `/offerings/${made.offering.id}/external-tools/${item.id}/launch`;
    const { body } = await world.as(made.learner).get(path);
    const named = await launchedClaims(world, body.launch_url);
    expect(named).toMatchObject({ name: made.learner.full_name, email: made.learner.email });
    expect(named[ags]).not.toHaveProperty("lineitem");
    const anonymous = await launchedClaims(world, await launchUrl());
    expect(anonymous.sub).not.toBe(named.sub);
    expect((await launchedClaims(world, await launchUrl())).sub).toBe(anonymous.sub);
  });

  it("has custom parameters of tool and item with the standard's variables", async () => {
    const custom = {
      who: "$User.id",
      name: "$Person.name.full",
      course: "$Context.label!",
      own: "$Canvas.id",
    };
    const { launch, learner, course, tool } = await toolCourse(world, make, {
      tool: { custom_parameters: { ...custom, kind: "tool" } },
      data: {
        custom: { kind: "item", link: "$ResourceLink.title" },
        url: "https://tool.example.com/launch?item=1",
      },
    });
    const claims = await launchedClaims(world, (await launch(learner)).body.launch_url);
    expect(claims).toMatchObject({
      [ltiClaim("target_link_uri")]: "https://tool.example.com/launch?item=1",
      [ltiClaim("custom")]: {
        ...{ who: claims.sub, name: "$Person.name.full", course: `${course.code}!`, own: "$Canvas.id" },
        ...{ kind: "item", link: expect.stringContaining("Topic") },
      },
    });
    expect(tool.deployment_ids).toContain(claims[ltiClaim("deployment_id")]);
  });

  it("gives staff their role", async () => {
    const roles = async (person: typeof made.learner) =>
      (await launchedClaims(world, await launchUrl(person)))[ltiClaim("roles")];
    const instructor = "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor";
    expect(await roles(made.teacher)).toEqual([instructor]);
    expect(await roles(await make.holder("ta", made.university.id))).toEqual([
      instructor,
      "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant",
    ]);
  });

  it("is for people with a seat, and staff", async () => {
    expect((await made.launch(await make.person())).status).toBe(403);
    const dropped = await make.person();
    await make.enrollment(dropped.id, made.offering.id, "DROPPED");
    expect((await made.launch(dropped)).status).toBe(403);
    const foreign = await make.holder("university_admin", (await make.university()).id);
    expect((await made.launch(foreign)).status).toBe(403);
    const { university, offering } = await make.topic();
    const staff = world.as(await make.holder("instructor", university.id));
    expect((await staff.get(`/offerings/${offering.id}/external-tools/${made.item.id}/launch`)).status).toBe(
      404,
    );
  });

  it("needs a deployment in the course", async () => {
    const { course, university, module, offering, learner, admin, tool } = await toolCourse(world, make);
    const elsewhere = await make.course(university.id);
    const item = await make.contentItem(module, university.id, {
      ...{ type: "external_tool", data_json: { lti_tool_id: tool.id } },
    });
    const path = `/offerings/${offering.id}/external-tools/${item.id}/launch`;
    const move = (id: number) =>
      admin.put(`/universities/${university.id}/lti-tools/${tool.id}`, { course_ids: [id] });
    const before = (await world.as(learner).get(path)).body.launch_url;
    const { login, cookie } = await openLaunch(world, before);
    await move(elsewhere.id);
    expect((await world.as(learner).get(path)).status).toBe(400);
    expect((await authorize(authorizationOf(login as URL), cookie)).status).toBe(404);
    await move(course.id);
    expect((await world.as(learner).get(path)).status).toBe(200);
  });
});

describe("an authorization request", () => {
  const begin = async () => {
    const { login, cookie } = await openLaunch(world, await launchUrl());
    return { request: authorizationOf(login as URL), cookie };
  };

  it("may be a form", async () => {
    const { request, cookie } = await begin();
    const { status, text } = await sendForm(world, "/lti/tools/authorize", request, { cookie });
    expect([status, postedForm(text).action]).toEqual([200, "https://tool.example.com/launch"]);
  });

  it.each([
    ["response_type", "code"],
    ["response_mode", "query"],
    ["scope", "profile"],
    ["prompt", "login"],
    ["nonce", ""],
    ["client_id", "another"],
    ["login_hint", "another"],
  ])("with %s %j is rejected", async (name, value) => {
    const { request, cookie } = await begin();
    const reply = await authorize({ ...request, [name]: value }, cookie);
    expect([reply.status, reply.headers.get("x-error-code")]).toEqual([400, "lti_tool_request"]);
    expect(reply.text).not.toContain("id_token");
  });

  it("with another redirect address is rejected", async () => {
    for (const redirect_uri of ["https://evil.example.com/", "https://tool.example.com/launch/other"]) {
      const { request, cookie } = await begin();
      const reply = await authorize({ ...request, redirect_uri }, cookie);
      expect([reply.status, reply.headers.get("x-error-code")]).toEqual([400, "lti_tool_redirect"]);
    }
  });

  it("of another browser is rejected", async () => {
    const { request } = await begin();
    const other = await begin();
    for (const cookie of ["", other.cookie, other.cookie.replace(/=.*/, "=another")]) {
      const reply = await authorize(request, cookie);
      expect([reply.status, reply.headers.get("x-error-code")]).toEqual([403, "lti_tool_other_browser"]);
    }
  });

  it("clears its cookie, so the browser answers it once", async () => {
    const { request, cookie } = await begin();
    const reply = await authorize(request, cookie);
    expect(reply.headers.getSetCookie()[0]).toMatch(/^lti_launch_[\w-]+=; Max-Age=0/);
  });

  it("over five minutes later, or with a changed hint, is rejected", async () => {
    const { request, cookie } = await begin();
    const forged = { ...request, lti_message_hint: `${request.lti_message_hint}x` };
    expect((await authorize(forged, cookie)).headers.get("x-error-code")).toBe("lti_tool_launch_over");
    world.setNow("2026-03-10T12:05:01.000Z");
    expect((await authorize(request, cookie)).headers.get("x-error-code")).toBe("lti_tool_launch_over");
  });

  it("cannot use the address of the launch as its hint, nor the hint as a launch", async () => {
    const url = await launchUrl();
    const { login, cookie } = await openLaunch(world, url);
    const request = authorizationOf(login as URL);
    const ticket = new URL(url).searchParams.get("launch") ?? "";
    expect((await authorize({ ...request, lti_message_hint: ticket }, cookie)).status).toBe(400);
    const again = await openLaunch(world, `/lti/tools/start?launch=${request.lti_message_hint}`);
    expect([again.status, again.cookie]).toEqual([400, ""]);
  });

  it("of a removed tool or an inactive account is rejected", async () => {
    const { university, learner, launch, tool, admin } = await toolCourse(world, make);
    const { login, cookie } = await openLaunch(world, (await launch(learner)).body.launch_url);
    await admin.delete(`/universities/${university.id}/lti-tools/${tool.id}`);
    const reply = await authorize(authorizationOf(login as URL), cookie);
    expect([reply.status, reply.headers.get("x-error-code")]).toEqual([404, "lti_tool_gone"]);
  });
});

describe("a start", () => {
  it.each(["", "nonsense"])("with the launch %j is rejected", async (launch) => {
    const { status, headers } = await openLaunch(world, `/lti/tools/start?launch=${launch}`);
    expect([status, headers.get("x-error-code")]).toEqual([400, "lti_tool_launch_over"]);
  });

  it("over five minutes after the launch is rejected", async () => {
    const url = await launchUrl();
    world.setNow("2026-03-10T12:05:01.000Z");
    expect((await openLaunch(world, url)).status).toBe(400);
  });
});
