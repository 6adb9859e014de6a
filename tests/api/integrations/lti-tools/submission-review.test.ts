import { sql } from "drizzle-orm";
import type { JWTPayload } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import {
  ags,
  authorizationOf,
  launchedClaims,
  ltiClaim,
  openLaunch,
  send,
  toolCourse,
  toolServer,
} from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
beforeEach(() => world.setNow("2026-03-10T12:00:00.000Z"));

const submissionReview = {
  url: "https://tool.example.com/review",
  custom: { action: "review" },
  reviewableStatus: ["Submitted", "Completed"],
};

/** A column of the tool with a score of the learner. */
async function scored(changes: { tool?: object; review?: object; progress?: string } = {}) {
  const one = await toolCourse(world, make, { tool: changes.tool ?? {} });
  const claims = await launchedClaims(world, (await one.launch(one.learner)).body.launch_url);
  const server = await toolServer(world, one.tool);
  const { lineitems } = claims[ags] as { lineitems: string };
  const review = { ...submissionReview, ...changes.review };
  const column = await server.lineItem("POST", lineitems, {
    ...{ label: "Essay", scoreMaximum: 10, submissionReview: review },
  });
  expect([column.status, column.body.submissionReview]).toEqual([201, review]);
  const score = {
    ...{ userId: claims.sub, scoreGiven: 8, scoreMaximum: 10, timestamp: "2026-03-10T11:59:00.000Z" },
    ...{ activityProgress: changes.progress ?? "Completed", gradingProgress: "FullyGraded" },
  };
  expect((await server.score(column.body.id, score)).status).toBe(204);
  const item = Number(column.body.id.split("/").at(-1));
  const reviewOf = (person: number) =>
    `/offerings/${one.offering.id}/external-tools/${item}/reviews/${person}`;
  return { ...one, server, column: column.body, subject: String(claims.sub), reviewOf, itemId: item };
}

type Scored = Awaited<ReturnType<typeof scored>>;

const reviewed = async (one: Scored): Promise<JWTPayload> => {
  const { status, body } = await world.as(one.teacher).get(one.reviewOf(one.learner.id));
  expect([status, body.detail]).toEqual([200, undefined]);
  return launchedClaims(world, body.launch_url);
};

describe("the review of a learner's work at a tool", () => {
  it("is launched for the grader, with the learner and the line item", async () => {
    const one = await scored();
    const claims = await reviewed(one);
    expect(claims).toMatchObject({
      [ltiClaim("message_type")]: "LtiSubmissionReviewRequest",
      [ltiClaim("target_link_uri")]: submissionReview.url,
      [ltiClaim("for_user")]: { user_id: one.subject },
      [ltiClaim("custom")]: { action: "review" },
      [ltiClaim("roles")]: ["http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"],
      [ags]: { lineitem: one.column.id },
    });
    expect(claims.sub).not.toBe(one.subject);
    expect(claims).not.toHaveProperty(ltiClaim("resource_link"));
    expect(claims[ltiClaim("for_user")]).not.toHaveProperty("name");
    expect((await one.server.get(one.column.id)).body.submissionReview).toEqual(submissionReview);
  });

  it("has the learner's name for a tool that may know it", async () => {
    const one = await scored({ tool: { shares_name: true, shares_email: true } });
    expect((await reviewed(one))[ltiClaim("for_user")]).toMatchObject({
      ...{ name: one.learner.full_name, email: one.learner.email },
    });
  });

  it("is offered in the gradebook", async () => {
    const one = await scored();
    const book = await world.as(one.teacher).get(`/assessments/offerings/${one.offering.id}/gradebook`);
    expect(book.body.columns).toMatchObject([{ has_review: false }, { has_review: true }]);
  });

  it("uses the tool's launch address without one of its own", async () => {
    const one = await scored({ review: { url: null } });
    expect(await reviewed(one)).toMatchObject({
      [ltiClaim("target_link_uri")]: "https://tool.example.com/launch",
    });
  });

  it("needs work in a state that the tool can show", async () => {
    const one = await scored({ progress: "InProgress" });
    expect((await world.as(one.teacher).get(one.reviewOf(one.learner.id))).status).toBe(404);
  });

  it("is for graders of the offering, and for learners with work", async () => {
    const one = await scored();
    const other = await scored();
    const status = async (person: typeof one.teacher, path: string) =>
      (await world.as(person).get(path)).status;
    expect(await status(one.learner, one.reviewOf(one.learner.id))).toBe(403);
    expect(await status(other.teacher, one.reviewOf(one.learner.id))).toBe(403);
    expect(await status(one.teacher, one.reviewOf(one.teacher.id))).toBe(404);
    expect(await status(one.teacher, other.reviewOf(other.learner.id))).toBe(403);
    const plain = `/offerings/${one.offering.id}/external-tools/${one.item.id}/reviews/${one.learner.id}`;
    expect(await status(one.teacher, plain)).toBe(404);
  });

  it("is closed while grading is anonymous", async () => {
    const one = await scored();
    await world.deps.db.execute(sql`
      update content_items set data_json = data_json || '{"anonymous": true}' where id = ${one.itemId}`);
    expect((await world.as(one.teacher).get(one.reviewOf(one.learner.id))).status).toBe(404);
  });

  it("ends if the learner left before the tool asked", async () => {
    const one = await scored();
    const { body } = await world.as(one.teacher).get(one.reviewOf(one.learner.id));
    const { login, cookie } = await openLaunch(world, body.launch_url);
    if (!login) throw new Error("The launch was not started");
    await world.deps.db.execute(
      sql`update enrollments set status = 'dropped' where user_id = ${one.learner.id}`,
    );
    const query = new URLSearchParams(authorizationOf(login));
    const answer = await send(world, "GET", `/lti/tools/authorize?${query}`, { headers: { cookie } });
    expect(answer.status).toBe(404);
  });
});
