import type { JWTPayload } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  issuer,
  launchedClaims,
  ltiClaim,
  sendForm,
  signAsTool,
  toolCourse,
} from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { takeRsaKey } from "../../../support/rsa-keys.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";
const dl = "https://purl.imsglobal.org/spec/lti-dl/claim/";

let made: Awaited<ReturnType<typeof toolCourse>>;
let path: string;
beforeAll(async () => {
  made = await toolCourse(world, make, { tool: { deep_linking_url: "https://tool.example.com/pick" } });
  path = `/courses/${made.course.id}/lti-tools/${made.tool.id}/deep-linking`;
});
beforeEach(() => world.setNow(moment));

const requested = async () => launchedClaims(world, (await world.as(made.teacher).get(path)).body.launch_url);

let responses = 0;

/** The tool's response to a request. */
const responseTo = (request: JWTPayload, content_items: object[], changes: object = {}): JWTPayload => {
  const iat = Date.parse(moment) / 1000;
  const settings = request[`${dl}deep_linking_settings`] as { data: string };
  responses += 1;
  return {
    ...{ iss: made.tool.client_id, aud: issuer, iat, exp: iat + 300, nonce: `response-${responses}` },
    [ltiClaim("message_type")]: "LtiDeepLinkingResponse",
    [ltiClaim("version")]: "1.3.0",
    [ltiClaim("deployment_id")]: made.tool.deployment_ids[0],
    [`${dl}data`]: settings.data,
    [`${dl}content_items`]: content_items,
    ...changes,
  };
};

const answer = async (claims: JWTPayload, tool = made.tool) =>
  sendForm(world, "/lti/tools/links", { JWT: await signAsTool(tool, claims) });

const itemsOn = (html: string): unknown =>
  JSON.parse(
    (/data-items="([^"]*)"/.exec(html)?.[1] ?? "null").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
  );

describe("choosing content at a tool", () => {
  it("sends a request for links, and hands the signed answer to the editor", async () => {
    const request = await requested();
    expect(request).toMatchObject({
      [ltiClaim("message_type")]: "LtiDeepLinkingRequest",
      [ltiClaim("target_link_uri")]: "https://tool.example.com/pick",
      [ltiClaim("context")]: { id: `course-${made.course.id}` },
      [`${dl}deep_linking_settings`]: {
        ...{ deep_link_return_url: `${issuer}/lti/tools/links`, accept_types: ["ltiResourceLink"] },
        ...{ accept_multiple: true, accept_lineitem: true },
      },
    });
    expect(request).not.toHaveProperty(ltiClaim("resource_link"));
    const { status, text, headers } = await answer(
      responseTo(request, [
        {
          ...{ type: "ltiResourceLink", url: "https://tool.example.com/launch?quiz=7", title: 'Quiz "7"' },
          ...{ text: "About waves", custom: { quiz: "7" } },
          lineItem: { scoreMaximum: 15, resourceId: "7", tag: "quiz" },
        },
        { type: "ltiResourceLink" },
        { type: "html", html: "<b>No link</b>" },
      ]),
    );
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("form-action 'none'");
    const lti_tool_id = made.tool.id;
    const items = itemsOn(text) as { data_json: object }[];
    expect(items).toEqual([
      {
        ...{ title: 'Quiz "7"', description: "About waves" },
        data_json: {
          ...{ lti_tool_id, url: "https://tool.example.com/launch?quiz=7", custom: { quiz: "7" } },
          ...{ max_points: 15, resource_id: "7", tag: "quiz" },
        },
      },
      { title: "Tool", description: null, data_json: { lti_tool_id } },
    ]);
    const { course, module, item, teacher } = made;
    const content = { course_id: course.id, module_id: module.id, content_type_id: item.content_type_id };
    for (const one of items)
      expect((await world.as(teacher).post("/content/", { ...content, ...one })).status).toBe(201);
  });

  it("takes one answer to each request", async () => {
    const request = await requested();
    expect((await answer(responseTo(request, []))).status).toBe(200);
    const again = await answer(responseTo(request, []));
    expect([again.status, again.headers.get("x-error-code")]).toEqual([400, "lti_tool_links"]);
  });

  it.each([
    ["another audience", { aud: "https://other.example.com" }],
    ["another issuer", { iss: "another" }],
    ["no nonce", { nonce: undefined }],
    ["an expiry in the past", { iat: 1_000_000, exp: 1_000_300 }],
    ["another message", { [ltiClaim("message_type")]: "LtiResourceLinkRequest" }],
    ["another version", { [ltiClaim("version")]: "1.2" }],
    ["another deployment", { [ltiClaim("deployment_id")]: "0" }],
    ["no data", { [`${dl}data`]: undefined }],
    ["forged data", { [`${dl}data`]: "forged" }],
  ])("rejects an answer with %s", async (_, changes) => {
    const reply = await answer(responseTo(await requested(), [{ type: "ltiResourceLink" }], changes));
    expect([reply.status, itemsOn(reply.text)]).toEqual([400, null]);
  });

  it("rejects an answer that is signed by another key, or is no JWT", async () => {
    const claims = responseTo(await requested(), []);
    expect((await answer(claims, { ...made.tool, key: await takeRsaKey(2048) })).status).toBe(400);
    for (const JWT of ["", "a.b.c", "nonsense"])
      expect((await sendForm(world, "/lti/tools/links", { JWT })).status).toBe(400);
  });

  it("is for teachers, at tools of the course that offer it", async () => {
    expect((await world.as(made.learner).get(path)).status).toBe(403);
    const other = await toolCourse(world, make);
    const of = (tool: number) => `/courses/${other.course.id}/lti-tools/${tool}/deep-linking`;
    expect((await world.as(other.teacher).get(of(made.tool.id))).status).toBe(404);
    const { status, body } = await world.as(other.teacher).get(of(other.tool.id));
    expect([status, body.detail]).toEqual([400, "The tool does not offer content to choose from"]);
    expect((await world.as(other.teacher).get(path)).status).toBe(403);
  });
});
