import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeGradedClasses } from "../../../support/graded-classes.ts";
import { makersOf } from "../../../support/makers.ts";
import { apiKeyOf, oneRosterClient } from "../../../support/one-roster.ts";
import { openWorld } from "../../../support/world.ts";

/* Lists of a whole university's gradebook: the filter names no class. */

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";

async function openUniversity() {
  const made = await makeGradedClasses(world, { classes: 6, learners: 3 });
  const admin = await make.holder("university_admin", made.university.id);
  const key = await apiKeyOf(world, admin, made.university.id, ["grades:read"]);
  return { ...made, client: oneRosterClient(world, key) };
}

let own: Awaited<ReturnType<typeof openUniversity>>;
let elsewhere: Awaited<ReturnType<typeof openUniversity>>;
beforeAll(async () => {
  world.setNow(moment);
  own = await openUniversity();
  elsewhere = await openUniversity();
});
beforeEach(() => world.setNow(moment));

type Listed = { sourcedId: string; [field: string]: unknown };
const base = "/gradebook/v1p2";

async function read(path: string): Promise<{ items: Listed[]; next: string | undefined }> {
  const { status, body, headers } = await own.client.get(path);
  expect(status, `${path}: ${JSON.stringify(body)}`).toBe(200);
  const next = /<[^>]*\/ims\/oneroster([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
  return { items: Object.values(body)[0] as Listed[], next };
}

function classAt(position: number, offerings = own.offerings) {
  const found = offerings[position];
  if (!found) throw new Error(`no class ${position}`);
  return found;
}

const filtered = (name: string, filter: string) =>
  read(`${base}/${name}?limit=5000&filter=${encodeURIComponent(filter)}`);

const idsOf = (items: readonly Listed[]) => items.map(({ sourcedId }) => sourcedId);

/** By the links of each page. */
async function readByLinks(path: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await read(next);
    all.push(...page.items);
    next = page.next;
  }
  return all;
}

const lists = ["categories", "lineItems", "results", "scoreScales"];

describe("a list of a whole university", () => {
  it.each(lists)(
    "has all %s of its classes and none of another university, by links and by offsets",
    async (name) => {
      const ofClasses: Listed[] = [];
      for (const { id } of own.offerings)
        ofClasses.push(...(await read(`${base}/classes/class-${id}/${name}?limit=5000`)).items);
      expect(ofClasses.length).toBeGreaterThanOrEqual(6);
      const byLinks = await readByLinks(`${base}/${name}?limit=2`);
      expect(byLinks.toSorted(bySourcedId)).toEqual(ofClasses.toSorted(bySourcedId));
      const byOffsets: Listed[] = [];
      for (let more = true; more; ) {
        const { items } = await read(`${base}/${name}?limit=4&offset=${byOffsets.length}`);
        byOffsets.push(...items);
        more = items.length > 0;
      }
      expect(byOffsets).toEqual(byLinks);
    },
  );

  it.each(["lineItems", "scoreScales"])("of the only school has the same %s", async (name) => {
    const of = (university: number) => `${base}/schools/university-${university}/${name}`;
    expect((await read(of(own.university.id))).items).toEqual((await read(`${base}/${name}`)).items);
    expect((await own.client.get(of(elsewhere.university.id))).status).toBe(404);
  });

  it.each(["assessmentLineItems", "assessmentResults"])("has no %s outside of classes", async (name) => {
    expect((await read(`${base}/${name}`)).items).toEqual([]);
    expect((await own.client.get(`${base}/${name}/${name}-1`)).status).toBe(404);
  });

  it("has score scales with the letters of final grades", async () => {
    const { id, course_id } = classAt(0);
    const scale = {
      sourcedId: `scoreScale-${id}`,
      status: "active",
      title: "Final grade",
      type: "letter",
      course: { sourcedId: `course-${course_id}`, type: "course" },
      class: { sourcedId: `class-${id}`, type: "class" },
      scoreScaleValue: expect.arrayContaining([{ itemValueLHS: "A", itemValueRHS: "90" }]),
    };
    expect((await read(`${base}/scoreScales?limit=1`)).items).toMatchObject([scale]);
    expect((await own.client.get(`${base}/scoreScales/scoreScale-${id}`)).body).toMatchObject({
      scoreScale: scale,
    });
    expect(
      (await own.client.get(`${base}/scoreScales/scoreScale-${elsewhere.offerings[0]?.id}`)).status,
    ).toBe(404);
  });

  it("is filtered by class, line item, student, id and status", async () => {
    const [run, other] = [classAt(0), classAt(1)];
    const theirs = elsewhere.offerings[0]?.id;
    const student = own.learners[1]?.id;
    const ofRun = idsOf((await read(`${base}/classes/class-${run.id}/results`)).items);
    const [result = ""] = ofRun;
    const lineItem = `lineItem-${run.id}-${own.quiz.id}`;
    const ofStudent = own.offerings.map(({ id }) => `result-${id}-${own.quiz.id}-${student}`);
    const cases: [name: string, filter: string, found: string[]][] = [
      ["results", `class.sourcedId='class-${run.id}'`, ofRun],
      ["results", `lineItem.sourcedId='${lineItem}'`, ofRun],
      ["results", `student.sourcedId='user-${student}'`, ofStudent],
      ["results", `student.sourcedId='user-${elsewhere.learners[1]?.id}'`, []],
      [
        "results",
        `student.sourcedId='user-${student}' AND class.sourcedId='class-${other.id}'`,
        ofStudent.slice(1, 2),
      ],
      [
        "results",
        `class.sourcedId='class-${run.id}' OR sourcedId='${ofStudent[1]}'`,
        [...ofRun, ...ofStudent.slice(1, 2)],
      ],
      ["results", `sourcedId='${result}'`, [result]],
      ["results", `lineItem.sourcedId='${lineItem}' AND score>='1000'`, []],
      ["results", "sourcedId='shoe'", []],
      ["results", `lineItem.sourcedId='lineItem-${theirs}-${elsewhere.quiz.id}'`, []],
      ["results", `class.sourcedId='class-${theirs}' OR status='tobedeleted'`, []],
      ["lineItems", `sourcedId='lineItem-${theirs}-${elsewhere.quiz.id}'`, []],
      ["categories", `sourcedId='category-${theirs}-0'`, []],
      ["results", "status='tobedeleted'", []],
      ["lineItems", `sourcedId='${lineItem}'`, [lineItem]],
      [
        "lineItems",
        `title='${own.quiz.title}' AND status='active'`,
        own.offerings.map(({ id }) => `lineItem-${id}-${own.quiz.id}`),
      ],
      ["lineItems", "title~'no such title'", []],
      ["categories", `title='Coursework' AND class.sourcedId='class-${run.id}'`, [`category-${run.id}-0`]],
    ];
    for (const [name, filter, found] of cases)
      expect(idsOf((await filtered(name, filter)).items).toSorted(), filter).toEqual(found.toSorted());
    expect((await filtered("categories", "title='Coursework'")).items).toHaveLength(6);
    expect((await filtered("results", "status='active'")).items).toEqual(
      (await read(`${base}/results`)).items,
    );
  });

  it("returns changes since a moment: new work, new grades and releases", async () => {
    const { offerings, learners, quiz, hidden } = own;
    const since = (name: string, at = "2026-04-01T00:00:00Z") =>
      filtered(name, `dateLastModified>='${at}'`).then(({ items }) => idsOf(items));
    for (const name of lists) expect(await since(name), name).toEqual([]);
    const [first, second, third] = offerings.map(({ id }) => id);
    await world.deps.db.execute(sql`
      update quiz_attempts set submitted_at = '2026-04-02' where course_offering_id = ${first} and user_id = ${learners[0]?.id}`);
    await world.deps.db.execute(sql`
      insert into item_grades (user_id, course_offering_id, content_item_id, score_override, updated_at)
      values (${learners[2]?.id}, ${second}, ${quiz.id}, 55, '2026-04-03')`);
    await world.deps.db.execute(sql`
      insert into grade_releases (course_offering_id, content_item_id, released_at) values (${third}, ${hidden.id}, '2026-04-04')`);
    const changed = [
      `result-${first}-${quiz.id}-${learners[0]?.id}`,
      `result-${second}-${quiz.id}-${learners[2]?.id}`,
      ...learners.map(({ id }) => `result-${third}-${hidden.id}-${id}`),
    ];
    expect((await since("results")).toSorted()).toEqual(changed.toSorted());
    expect(await since("results", "2026-04-05T00:00:00Z")).toEqual([]);
    expect(idsOf((await filtered("results", "scoreDate>='2026-04-03'")).items).toSorted()).toEqual(
      changed.slice(1).toSorted(),
    );
    const scored = (await filtered("results", "dateLastModified>='2026-04-03' AND status='active'")).items;
    expect(scored.find(({ sourcedId }) => sourcedId === changed[1])).toMatchObject({ score: 55 });
    await world.deps.db.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`update content_items set updated_at = '2026-04-06' where id = ${quiz.id}`);
      await tx.execute(sql`update course_offerings set updated_at = '2026-04-07' where id = ${first}`);
    });
    expect((await since("lineItems", "2026-04-06T00:00:00Z")).length).toBe(6 + 2);
    expect((await since("lineItems", "2026-04-07T00:00:00Z")).length).toBe(3);
    expect(await since("scoreScales", "2026-04-07T00:00:00Z")).toEqual([`scoreScale-${first}`]);
  });

  it("hides unreleased grades, and anonymous ones under automatic release", async () => {
    const { offerings, hidden, anonymous, university, client } = await openUniversity();
    const run = classAt(0, offerings);
    const items = async () => {
      const { body } = await client.get(`${base}/results?limit=5000`);
      const listed = (body.results as Listed[]).map(({ lineItem }) => (lineItem as Listed).sourcedId);
      return new Set(listed.filter((one) => one.startsWith(`lineItem-${run.id}-`)));
    };
    const [hiddenId, anonymousId] = [hidden.id, anonymous.id];
    expect(await items()).not.toContain(`lineItem-${run.id}-${hiddenId}`);
    await world.deps.db.execute(sql`
      insert into grading_schemes (course_offering_id, letter_scale, passing_percent, groups, release_mode)
      values (${run.id}, '[{"letter": "A", "min_percent": 90}]', 50, '[]', 'automatic')`);
    expect(await items()).toContain(`lineItem-${run.id}-${hiddenId}`);
    expect(await items()).not.toContain(`lineItem-${run.id}-${anonymousId}`);
    await world.deps.db.execute(sql`
      insert into grade_releases (course_offering_id, content_item_id, released_at)
      select id, ${anonymousId}, ${moment} from course_offerings where id = ${run.id} and university_id = ${university.id}`);
    expect(await items()).toContain(`lineItem-${run.id}-${anonymousId}`);
  });

  it.each([
    ["/results?filter=score>='5'", "invalid_filter_field"],
    ["/results?filter=dateLastModified<='2026-01-01'", "invalid_filter_field"],
    ["/results?filter=student.sourcedId~'user'", "invalid_filter_field"],
    ["/results?filter=status='active' OR score>'1'", "invalid_filter_field"],
    ["/lineItems?filter=dueDate>='2026-01-01'", "invalid_filter_field"],
    ["/results?sort=score", "invalid_sort_field"],
    ["/results?after=lineItem-1-2", "invalid_filter_field"],
    ["/results?after=result-1-2-3-4", "invalid_filter_field"],
    ["/results?after=shoe", "invalid_filter_field"],
    ["/classes/class-1/results?after=result-1-2-3", "invalid_filter_field"],
  ])("answers %s with 400 and the code %s", async (path, code) => {
    expect(await own.client.get(base + path)).toMatchObject({
      status: 400,
      body: { imsx_CodeMinor: { imsx_codeMinorField: [{ imsx_codeMinorFieldValue: code }] } },
    });
  });
});

const bySourcedId = (one: Listed, other: Listed) => (one.sourcedId < other.sourcedId ? -1 : 1);
