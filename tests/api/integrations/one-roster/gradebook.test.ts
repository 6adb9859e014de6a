import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { apiKeyOf, oneRosterClient, requestOneRosterToken } from "../../../support/one-roster.ts";
import { openWorld } from "../../../support/world.ts";
import { openQuiz } from "../../assessment/exam.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";

/** A class with a quiz that one learner answered, and a client with the university's key. */
async function makeGradedClass() {
  const opened = await openQuiz(world, { quiz_mode: "exam" });
  const { university, start, submit, right, offering, item, learner } = opened;
  const admin = await make.holder("university_admin", university.id);
  const key = await apiKeyOf(world, admin, university.id, ["grades:read"]);
  const client = oneRosterClient(world, key);
  await submit((await start()).body.id, right);
  const release = () =>
    world.deps.db.execute(sql`
      insert into grade_releases (course_offering_id, content_item_id, released_at)
      values (${offering.id}, ${item.id}, ${moment}) on conflict do nothing`);
  return {
    ...opened,
    ...{ key, admin, client, release },
    class: `class-${offering.id}`,
    lineItem: `lineItem-${offering.id}-${item.id}`,
    result: `result-${offering.id}-${item.id}-${learner.id}`,
  };
}

let made: Awaited<ReturnType<typeof makeGradedClass>>;
let elsewhere: Awaited<ReturnType<typeof makeGradedClass>>;
beforeAll(async () => {
  world.setNow(moment);
  made = await makeGradedClass();
  elsewhere = await makeGradedClass();
  await made.release();
  await elsewhere.release();
});
beforeEach(() => world.setNow(moment));

const get = (path: string) => made.client.get(`/gradebook/v1p2${path}`);

describe("the gradebook service", () => {
  it("returns the class's categories, line items and released results", async () => {
    const { offering, item, learner } = made;
    const base = "http://localhost/ims/oneroster";
    expect((await get(`/classes/${made.class}/categories`)).body).toMatchObject({
      categories: [{ sourcedId: `category-${offering.id}-0`, title: "Coursework" }],
    });
    const category = { type: "category", sourcedId: `category-${offering.id}-0` };
    expect((await get(`/lineItems/${made.lineItem}`)).body).toMatchObject({
      lineItem: {
        title: item.title,
        class: { href: `${base}/rostering/v1p2/classes/${made.class}`, type: "class" },
        category: { ...category, href: `${base}/gradebook/v1p2/categories/${category.sourcedId}` },
        resultValueMin: 0,
        resultValueMax: 100,
      },
    });
    const result = {
      sourcedId: made.result,
      status: "active",
      lineItem: { sourcedId: made.lineItem, type: "lineItem" },
      student: { sourcedId: `user-${learner.id}`, type: "user" },
      scoreStatus: "fully graded",
      score: 100,
      scoreDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    };
    expect((await get(`/results/${made.result}`)).body).toMatchObject({ result });
    for (const path of [
      `/classes/${made.class}/results`,
      `/classes/${made.class}/lineItems/${made.lineItem}/results`,
      `/classes/${made.class}/students/user-${learner.id}/results`,
      `/results?filter=${encodeURIComponent(`class.sourcedId='${made.class}' AND score>='5'`)}`,
    ]) {
      const { body, headers } = await get(path);
      expect(body, path).toMatchObject({ results: [result] });
      expect(headers.get("x-total-count")).toBe("1");
    }
  });

  it("returns the groups of the grading scheme as categories with weights", async () => {
    const { offering, item, client } = await makeGradedClass();
    const groups = [{ name: "Exams", weight: 60, content_item_ids: [item.id] }];
    await world.deps.db.execute(sql`
      insert into grading_schemes (course_offering_id, letter_scale, passing_percent, groups, release_mode)
      values (${offering.id}, '[{"letter": "A", "min_percent": 0}]', 50, ${JSON.stringify(groups)}::jsonb, 'manual')`);
    const run = `/gradebook/v1p2/classes/class-${offering.id}`;
    expect((await client.get(`${run}/categories?filter=title='Exams'`)).body).toMatchObject({
      categories: [{ sourcedId: `category-${offering.id}-1`, title: "Exams", weight: 60 }],
    });
    expect((await client.get(`${run}/lineItems`)).body).toMatchObject({
      lineItems: [{ category: { sourcedId: `category-${offering.id}-1` } }],
    });
  });

  it("withholds grades until they are released, and then shows them as a change", async () => {
    const { client, release, ...hidden } = await makeGradedClass();
    const path = `/gradebook/v1p2/classes/${hidden.class}/results`;
    expect((await client.get(path)).body).toEqual({ results: [] });
    expect((await client.get(`/gradebook/v1p2/results/${hidden.result}`)).status).toBe(404);
    await release();
    const since = (at: string) =>
      client.get(`${path}?filter=${encodeURIComponent(`dateLastModified>='${at}'`)}`);
    expect((await since(moment)).body.results).toHaveLength(1);
    expect((await since("9999-01-01")).body.results).toEqual([]);
  });

  it.each([
    ["/results?filter=class.sourcedId='class-1' OR score>'1'", 400, "invalid_filter_field"],
    ["/shoes", 404, "unknownobject"],
    ["/results/result-1", 404, "unknownobject"],
    ["/classes/class-999999/results", 404, "unknownobject"],
    ["/classes/class-999999/shoes", 404, "unknownobject"],
    ["/schools/university-999999/lineItems", 404, "unknownobject"],
    ["/lineItems/lineItem-9999999999-1", 404, "unknownobject"],
  ])("answers %s with %i and the code %s", async (path, status, code) => {
    expect(await get(path)).toMatchObject({
      status,
      body: { imsx_CodeMinor: { imsx_codeMinorField: [{ imsx_codeMinorFieldValue: code }] } },
    });
  });

  it("answers writes with 405: a score has a rubric, versions and late rules that the standard lacks", async () => {
    for (const [method, path] of [
      ["PUT", `/results/${made.result}`],
      ["DELETE", `/lineItems/${made.lineItem}`],
    ] as const) {
      const { status, body } = await made.client.get(`/gradebook/v1p2${path}`, method);
      expect([status, body.imsx_codeMajor]).toEqual([405, "unsupported"]);
    }
  });

  it("returns nothing of another university, or to a key without grades", async () => {
    for (const path of [
      `/classes/${elsewhere.class}/results`,
      `/classes/${made.class}/lineItems/${elsewhere.lineItem}/results`,
      `/classes/${made.class}/students/user-${elsewhere.learner.id}/results`,
      `/lineItems/${elsewhere.lineItem}`,
      `/results/${elsewhere.result}`,
    ])
      expect((await get(path)).status, path).toBe(404);
    const { admin, university } = made;
    const key = await apiKeyOf(world, admin, university.id, ["people:read"]);
    expect((await oneRosterClient(world, key).get(`/gradebook/v1p2/results/${made.result}`)).status).toBe(
      403,
    );
    const core = await requestOneRosterToken(world, made.key, "gradebook-core.readonly");
    const client = oneRosterClient(world, String(core.body["access_token"]));
    expect((await client.get(`/gradebook/v1p2/results/${made.result}`)).status).toBe(200);
    expect((await client.get(`/gradebook/v1p2/classes/${made.class}/results`)).status).toBe(403);
  });
});
