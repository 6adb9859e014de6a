import { sql } from "drizzle-orm";
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { renewToolKeys } from "../../../../lib/integrations/lti/keys.ts";
import { ltiBrowser } from "../../../support/lti-browser.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../../../support/lti-platform-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

/* LTI Deep Linking 2.0: the LMS requests links, staff choose targets, and the tool signs the response once. */

const world = openWorld();
const make = makersOf(world);

const claim = "https://purl.imsglobal.org/spec/lti/claim/";
const linking = "https://purl.imsglobal.org/spec/lti-dl/claim/";
const membership = "http://purl.imsglobal.org/vocab/lis/v2/membership";
const began = "2026-03-10T12:00:00.000Z";

let platform: LtiPlatformStandIn;
let at: Awaited<ReturnType<typeof make.topic>>;
let quiz: { id: number; title: string };
let university: number;

const browser = ltiBrowser(
  world,
  () => platform,
  () => university,
);
const rows = async (text: string) => (await world.deps.db.execute(sql.raw(text))).rows;
const returnUrl = () => `${platform.issuer}/return;one?course=1`;

const settings = (changes: object = {}) => ({
  deep_link_return_url: returnUrl(),
  accept_types: ["link", "ltiResourceLink"],
  accept_presentation_document_targets: ["iframe"],
  accept_multiple: true,
  accept_lineitem: true,
  data: "the LMS's own",
  ...changes,
});

/** Claims of a deep linking launch. */
const asking = (changes: object = {}, of: object = {}) => ({
  sub: "teacher",
  name: "Grace Hopper",
  [`${claim}message_type`]: "LtiDeepLinkingRequest",
  [`${claim}resource_link`]: undefined,
  [`${claim}roles`]: [`${membership}#Instructor`],
  [`${linking}deep_linking_settings`]: settings(changes),
  ...of,
});

beforeAll(async () => {
  await renewToolKeys(world.deps);
  platform = await startLtiPlatform();
  at = await make.topic({ access: "ENROLLED" });
  university = at.university.id;
  const admin = world.as(await make.holder("university_admin", university));
  const all = `/universities/${university}/lti-platforms`;
  const { id } = (await admin.post(all, platform.registration)).body;
  await admin.post(`${all}/${id}/deployments`, { deployment_id: "1" });
  const [place] = await rows(`select id from lti_deployments where platform_id = ${id}`);
  await rows(`insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id)
    values (${id}, ${place?.["id"]}, 'course-1', 'Computing', ${at.offering.id}, ${university})`);
  quiz = await make.contentItem(at.module, university, { type: "quiz" });
  await rows(
    `update content_items set available_from = '2026-03-01T08:00:00Z', due_at = '2026-04-01T08:00:00Z' where id = ${quiz.id}`,
  );
  await rows(`insert into offering_dates (course_id, course_offering_id, content_item_id, due_at)
    values (${at.course.id}, ${at.offering.id}, ${quiz.id}, '2026-05-01T08:00:00Z')`);
});
afterAll(() => platform.close());
beforeEach(() => world.setNow(began));

/** Launches deep linking. Returns the client of its page and the page's data. */
async function asked(changes: object = {}, of: object = {}) {
  const page = await browser.launch(asking(changes, of));
  const location = new URL(page.headers.get("location") ?? "http://localhost/");
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!code) throw new Error(page.html);
  const { body } = await world.as().post("/auth/launches", { code });
  const bearer = await world.deps.tokens.verify(body.access_token, "access");
  if (!bearer) throw new Error("no session");
  return { launch: body.launch, ticket: body.launch.deep_linking?.ticket, client: world.as(bearer) };
}

const path = () => `/offerings/${at.offering.id}/lti-links`;

/** The form that the frame's pages post to the LMS, and their policy. */
async function posted(address: string) {
  const { pathname, hash, search } = new URL(address);
  expect(search).toBe("");
  const first = await world.app.request(`http://localhost${pathname}`);
  expect(first.headers.get("content-security-policy")).toContain("form-action 'self'");
  const page = await world.app.request(`http://localhost${pathname}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ links: hash.slice(1) }).toString(),
  });
  const html = await page.text();
  const jwt = /name="JWT" value="([^"]+)"/.exec(html)?.[1] ?? "";
  return { status: page.status, html, jwt, policy: page.headers.get("content-security-policy") ?? "" };
}

async function verified(jwt: string) {
  const keys = (await (await world.app.request("http://localhost/lti/jwks")).json()) as JSONWebKeySet;
  return jwtVerify(jwt, createLocalJWKSet(keys), {
    issuer: platform.clientId,
    audience: platform.issuer,
    currentDate: world.deps.now(),
  });
}

describe("links for an LMS's request", () => {
  it("are picked in the frame, signed, and posted to the LMS's own address", async () => {
    const { launch, ticket, client } = await asked();
    expect(launch).toMatchObject({ role: "INSTRUCTOR", deep_linking: { accept_multiple: true } });
    const links = [
      { content_item_id: quiz.id },
      { module_id: at.module.id },
      {},
      { content_item_id: at.item.id },
    ];
    const made = await client.post(path(), { ticket, links });
    expect(made.status).toBe(200);
    const { status, jwt, policy } = await posted(made.body.address);
    expect(status).toBe(200);
    expect(policy).toContain(`form-action ${platform.issuer}/return%3Bone;`);
    expect(policy).toContain(`frame-ancestors 'self' ${platform.issuer}`);
    const { payload } = await verified(jwt);
    expect(payload).toMatchObject({
      [`${claim}message_type`]: "LtiDeepLinkingResponse",
      [`${claim}version`]: "1.3.0",
      [`${claim}deployment_id`]: "1",
      [`${linking}data`]: "the LMS's own",
    });
    const url = `http://localhost/lti/${university}/launch`;
    const icon = { url: "http://localhost/app/icon.svg" };
    const of = { type: "ltiResourceLink", url, icon };
    expect(payload[`${linking}content_items`]).toEqual([
      {
        ...{ ...of, title: quiz.title, custom: { content_item_id: String(quiz.id) } },
        lineItem: { scoreMaximum: expect.any(Number), label: quiz.title, resourceId: `item:${quiz.id}` },
        available: { startDateTime: expect.stringMatching(/^2026-03-01T08:00:00/) },
        submission: { endDateTime: expect.stringMatching(/^2026-05-01T08:00:00/) },
      },
      {
        ...{ ...of, title: expect.any(String), custom: { module_id: String(at.module.id) } },
        lineItem: { scoreMaximum: 100, label: expect.any(String), resourceId: `module:${at.module.id}` },
      },
      {
        ...{ ...of, title: at.course.title, custom: {} },
        lineItem: { scoreMaximum: 100, label: at.course.title, resourceId: "course" },
      },
      { ...of, title: at.item.title, custom: { content_item_id: String(at.item.id) } },
    ]);
  });

  it("have no line item if the LMS accepts none, and return its data unchanged", async () => {
    const data = { course: [1, "<2>"] };
    const { ticket, client } = await asked({ accept_lineitem: false, data });
    const { body } = await client.post(path(), { ticket, links: [{ content_item_id: quiz.id }] });
    const payload = decodeJwt((await posted(body.address)).jwt);
    expect(payload[`${linking}data`]).toEqual(data);
    expect(payload[`${linking}content_items`]).toEqual([
      expect.not.objectContaining({ lineItem: expect.anything() }),
    ]);
  });

  it("are signed once per request, also of several concurrent answers", async () => {
    const { ticket, client } = await asked();
    const body = { ticket, links: [{}] };
    const all = await Promise.all(Array.from({ length: 4 }, () => client.post(path(), body)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect((await client.post(path(), body)).body.detail).toContain("has already received its links");
  });

  it.each<[string, object, object[], number, string]>([
    [
      "several where one is taken",
      { accept_multiple: false },
      [{}, { module_id: 0 }],
      400,
      "one link at a time",
    ],
    [
      "several where nothing is said of it",
      { accept_multiple: undefined },
      [{}, {}],
      400,
      "one link at a time",
    ],
    ["an item that is nowhere", {}, [{ content_item_id: 99_999_999 }], 400, "not in the course"],
    ["a module that is nowhere", {}, [{}, { module_id: 99_999_999 }], 400, "not in the course"],
    ["nothing", {}, [], 422, ""],
    ["an item and a module at once", {}, [{ content_item_id: 1, module_id: 1 }], 422, ""],
    ["more than fifty", {}, Array.from({ length: 51 }, () => ({})), 422, ""],
  ])("are refused: %s", async (_, changes, links, status, words) => {
    const { ticket, client } = await asked(changes);
    const given = links.map((one) =>
      "module_id" in one && one.module_id === 0 ? { module_id: at.module.id } : one,
    );
    const refused = await client.post(path(), { ticket, links: given });
    expect(refused.status).toBe(status);
    if (words) expect(refused.body.detail).toContain(words);
    // A rejected response does not use up the request.
    expect((await client.post(path(), { ticket, links: [{}] })).status).toBe(200);
  });

  it("lead to nothing that is not published, or of another course", async () => {
    const { ticket, client } = await asked();
    const other = await make.topic();
    const hidden = await make.contentItem(at.module, university, { is_active: false });
    for (const content_item_id of [other.item.id, hidden.id])
      expect((await client.post(path(), { ticket, links: [{ content_item_id }] })).status).toBe(400);
  });

  it("are for the requested person, within an hour, in the bound offering", async () => {
    const { ticket, client } = await asked();
    const body = { ticket, links: [{}] };
    const teacher = world.as(await make.holder("instructor", university));
    expect((await teacher.post(path(), body)).status).toBe(400);
    const learner = world.as(await make.holder("student", university));
    expect((await learner.post(path(), body)).status).toBe(403);
    const second = await make.offering(at.course);
    expect((await teacher.post(`/offerings/${second.id}/lti-links`, body)).status).toBe(400);
    expect((await client.post(path(), { ...body, ticket: "none" })).status).toBe(400);
    world.setNow("2026-03-10T13:00:01.000Z");
    const late = await make.holder("instructor", university);
    expect((await world.as(late).post(path(), body)).body.detail).toContain("over an hour ago");
  });

  it("expire on their way, five minutes after they were signed", async () => {
    const { ticket, client } = await asked();
    const { body } = await client.post(path(), { ticket, links: [{}] });
    expect((await posted(`${body.address}x`)).status).toBe(400);
    world.setNow("2026-03-10T12:05:01.000Z");
    expect(await posted(body.address)).toMatchObject({
      status: 400,
      html: expect.stringContaining("chosen over five"),
    });
  });
});

describe("a request for links is rejected", () => {
  it.each<[string, object, object, number, string]>([
    [
      "no links among what is taken",
      { accept_types: ["file", "html"] },
      {},
      400,
      "something other than links",
    ],
    ["nothing is said to be taken", { accept_types: undefined }, {}, 400, "something other than links"],
    ["what is taken is no list", { accept_types: "ltiResourceLink" }, {}, 400, "something other than links"],
    ["no return address", { deep_link_return_url: undefined }, {}, 400, "no https address of its own"],
    [
      "a return address that is none",
      { deep_link_return_url: "return" },
      {},
      400,
      "no https address of its own",
    ],
    [
      "a script as that",
      { deep_link_return_url: "javascript:alert(1)" },
      {},
      400,
      "no https address of its own",
    ],
    [
      "someone else's",
      { deep_link_return_url: "https://evil.example.org/return" },
      {},
      400,
      "no https address of its own",
    ],
    ["no settings", {}, { [`${linking}deep_linking_settings`]: undefined }, 400, "lacks a required"],
    ["settings that are none", {}, { [`${linking}deep_linking_settings`]: "x" }, 400, "lacks a required"],
    ["endless data", { data: "x".repeat(10_001) }, {}, 400, "lacks a required"],
    ["a learner asks", {}, { [`${claim}roles`]: [`${membership}#Learner`] }, 403, "Only teachers"],
    ["nobody of the course asks", {}, { [`${claim}roles`]: [] }, 403, "learn or teach"],
    [
      "an address of another tool",
      {},
      { [`${claim}target_link_uri`]: "https://other.example.org/" },
      400,
      "does not belong",
    ],
    ["it has expired", {}, { exp: Math.floor(Date.parse(began) / 1000) - 1 }, 400, "has expired"],
    ["no deployment", {}, { [`${claim}deployment_id`]: undefined }, 400, "lacks a required"],
  ])("%s", async (_, changes, of, status, words) => {
    const page = await browser.launch(asking(changes, { sub: "another", ...of }));
    expect(page).toMatchObject({ status, html: expect.stringContaining(words) });
    expect(page.headers.get("location")).toBeNull();
  });

  it("after its first answer", async () => {
    const begun = await browser.begin();
    const sent = { state: begun.state, id_token: await browser.answerOf(begun, asking()) };
    expect((await browser.comeBack(sent, begun.cookie)).status).toBe(303);
    expect(await browser.comeBack(sent, begun.cookie)).toMatchObject({ status: 400 });
  });

  it("from an unbound course: binding comes first", async () => {
    const page = await browser.launch(asking({}, { [`${claim}context`]: { id: "unbound", title: "New" } }));
    expect(page.html).toContain(`action="${browser.root()}/window"`);
  });
});
