import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Person } from "../../support/client.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const now = () => world.setNow("2026-03-10T12:00:00.000Z");
beforeEach(now);

type Lab = Awaited<ReturnType<typeof openLab>>;
type Code = { code: string; user_id: number | null };

async function openAnonymous(data: Record<string, unknown> = {}) {
  const lab = await openLab(world, { anonymous: true, ...data });
  const enrolled = async (full_name: string) => {
    const person = await make.person({ full_name });
    await make.enrollment(person.id, lab.offering.id);
    return person;
  };
  return { ...lab, enrolled };
}

const codeOf = async ({ submit }: Lab, person: Person): Promise<string> =>
  (await submit({ body: `of ${person.id}` }, person)).body.code;

const change = (lab: Lab, data_json: object) =>
  world.as(lab.teacher).put(`/content/${lab.lab.id}`, { data_json });

describe("a learner with anonymous work", () => {
  it("has one code per item, which they and graders see and later attempts keep", async () => {
    const lab = await openAnonymous();
    const first = await lab.submit({ body: "One" });
    expect(first.body).toMatchObject({
      user_id: lab.learner.id,
      code: expect.stringMatching(/^[B-DF-HJ-NP-RTV]{8}$/),
    });
    const second = await lab.submit({ body: "Two" });
    const seen = await lab.read(second.body.id, lab.assistant);
    expect([second.body.code, seen.body.code]).toEqual([first.body.code, first.body.code]);
    expect(seen.body).toMatchObject({ user_id: null, body: "Two" });
    const mine = await world.as(lab.learner).get("/assessments/my-submissions");
    expect(mine.body.map((one: Code) => one.code)).toEqual([first.body.code, first.body.code]);
  });

  it("has a code only in an item that was anonymous at the submission", async () => {
    const lab = await openLab(world);
    const { body } = await lab.submit({ body: "Before" });
    expect(body.code).toBeNull();
    expect((await change(lab, { grading: { max_points: 20 }, anonymous: true })).status).toBe(200);
    const seen = await lab.read(body.id, lab.assistant);
    expect(seen.body).toMatchObject({ user_id: null, code: expect.any(String) });
  });

  it("is still named where grades are released, which staff see when they enable anonymity, and learners do not", async () => {
    const lab = await openLab(world);
    await lab.submit({ body: "Before" });
    const own = () => world.as(lab.learner).get(`/content/${lab.lab.id}`);
    const seen = () => world.as(lab.teacher).get(`/content/${lab.lab.id}`);
    await lab.release();
    expect((await seen()).body).not.toHaveProperty("people_shown_in");
    const changed = await change(lab, { grading: { max_points: 20 }, anonymous: true });
    expect([changed.status, changed.body.people_shown_in]).toEqual([200, [lab.offering.id]]);
    expect((await seen()).body.people_shown_in).toEqual([lab.offering.id]);
    expect((await own()).body).not.toHaveProperty("people_shown_in");
    const withdrawn = await world.as(lab.teacher).post(`${lab.here}/grades/release`, { released: false });
    expect(withdrawn.status).toBe(200);
    expect((await seen()).body).not.toHaveProperty("people_shown_in");
  });

  it("stays unnamed: the item says it no less until all that was handed in is released", async () => {
    const lab = await openAnonymous();
    const { body } = await lab.submit({ body: "Mine" });
    const named = { grading: { max_points: 20 } };
    const refused = await change(lab, named);
    expect([refused.status, refused.headers.get("x-error-code")]).toEqual([400, "item_stays_anonymous"]);
    await lab.release();
    expect((await change(lab, named)).status).toBe(200);
    expect((await lab.read(body.id, lab.assistant)).body.user_id).toBe(lab.learner.id);
  });

  it("is not named by the first grade if other grades are released automatically", async () => {
    const lab = await openAnonymous();
    await world.as(lab.teacher).put(`${lab.here}/grading-scheme`, { release_mode: "AUTOMATIC" });
    const { body } = await lab.submit({ body: "Mine" });
    expect((await lab.grade(body.id, 12)).body).toMatchObject({ user_id: null, score_obtained: 12 });
    expect((await lab.read(body.id)).body.score_obtained).toBeNull();
    await lab.release({ content_item_ids: [lab.lab.id] });
    expect((await lab.read(body.id)).body.score_obtained).toBe(12);
    expect((await lab.read(body.id, lab.assistant)).body.user_id).toBe(lab.learner.id);
  });

  it("has one code, also if submissions and the item's setting arrive concurrently", async () => {
    for (const round of [0, 1, 2, 3]) {
      const lab = await openLab(world);
      const says = () => change(lab, { grading: { max_points: 20 }, anonymous: true });
      const both = [says, () => lab.submit({ body: "One" }), () => lab.submit({ body: "Two" })];
      const replies = await Promise.all((round % 2 ? both : both.toReversed()).map((act) => act()));
      expect(replies.every(({ status }) => status < 300)).toBe(true);
      const { body } = await world.as(lab.assistant).get(`${lab.here}/submissions`);
      expect(body).toHaveLength(2);
      expect(new Set(body.map((one: Code) => one.code)).size).toBe(1);
      expect(body[0].code).toEqual(expect.any(String));
    }
  });

  it("stays late until the release if they get a later date", async () => {
    const lab = await openAnonymous({ due_at: "2026-03-09T12:00:00.000Z" });
    const { body } = await lab.submit({ body: "Late" });
    await lab.grade(body.id, 12);
    const lateness = async () => {
      const { is_late, late_days } = (await lab.read(body.id, lab.assistant)).body;
      return [is_late, late_days];
    };
    expect(await lateness()).toEqual([true, 1]);
    const override = `${lab.here}/assignments/${lab.lab.id}/overrides/${lab.learner.id}`;
    const granted = await world.as(lab.teacher).put(override, { due_at: "2026-03-11T12:00:00.000Z" });
    expect(granted.status).toBe(200);
    expect(await lateness()).toEqual([true, 1]);
    await lab.release();
    expect(await lateness()).toEqual([false, 0]);
  });

  it("shows no name in their files", async () => {
    const lab = await openAnonymous();
    const scope = { course_offering_id: lab.offering.id, content_item_id: lab.lab.id };
    const file = await sendFile(world.deps, world.as(lab.learner), {
      ...{ purpose: "SUBMISSION", name: "Ada Lovelace.TXT" },
      ...scope,
    });
    const { body } = await lab.submit({ body: "With it", file_ids: [file.body.id] });
    expect(body.files[0].name).toBe("Ada Lovelace.TXT");
    const name = `${body.code}-1.txt`;
    const as = world.as(lab.assistant);
    expect((await lab.read(body.id, lab.assistant)).body.files[0].name).toBe(name);
    expect((await as.get(`/files/${file.body.id}`)).body).toMatchObject({ name, uploaded_by_user_id: null });
    const [told] = (await as.post("/files/addresses", { ids: [file.body.id] })).body;
    expect(told.name).toBe(name);
    expect(decodeURIComponent(told.url)).not.toContain("Lovelace");
    expect((await world.as(lab.learner).get(`/files/${file.body.id}`)).body.name).toBe("Ada Lovelace.TXT");
  });
});

describe("lists of anonymous work", () => {
  let lab: Awaited<ReturnType<typeof openAnonymous>>;
  let codes: string[];

  beforeAll(async () => {
    now();
    lab = await openAnonymous();
    codes = [];
    for (const name of ["Ada", "Ben", "Cyd", "Dan"]) codes.push(await codeOf(lab, await lab.enrolled(name)));
  });

  const queue = async (query: string): Promise<(string | null)[]> => {
    const { body } = await world.as(lab.assistant).get(`${lab.here}/submissions?${query}`);
    return body.map((one: Code) => one.code);
  };

  it("are in the order of the codes, however the roster is sorted", async () => {
    expect(new Set(codes).size).toBe(4);
    expect(await queue("sort=full_name")).toEqual(codes.toSorted());
    const book = await lab.gradebook(`?content_item_id=${lab.lab.id}&sort=-full_name`);
    expect(book.body.rows.map((row: Code) => [row.code, row.user_id])).toEqual(
      codes.toSorted().map((code) => [code, null]),
    );
  });

  it("find a person by the code alone", async () => {
    expect(await queue("q=ada")).toEqual([]);
    expect(await queue(`q=${codes[1]?.toLowerCase()}`)).toEqual([codes[1]]);
    expect(await queue(`user_id=${lab.learner.id}`)).toEqual([]);
    const found = await lab.gradebook(`?content_item_id=${lab.lab.id}&q=${codes[2]}`);
    expect(found.body.rows.map((row: Code) => row.code)).toEqual([codes[2]]);
    expect(found.body.total).toBe(1);
    await world.deps.db.execute(sql`
      insert into sourced_people (university_id, sourced_id, user_id) select ${lab.university.id}, 'm-1', id
      from users where full_name = 'Ada' and id in (
        select user_id from enrollments where course_offering_id = ${lab.offering.id})`);
    const known = await lab.gradebook(`?external_id=m-1`);
    expect(known.body.total).toBe(1);
    const narrowed = await lab.gradebook(`?content_item_id=${lab.lab.id}&external_id=m-1`);
    expect(narrowed.body).toMatchObject({ rows: [], total: 0 });
  });

  it("continue with cursors that contain no time and that clients cannot forge", async () => {
    world.setNow("2026-03-10T17:43:21.987Z");
    const late = await openAnonymous();
    for (const name of ["Eve", "Fay", "Gus"]) await codeOf(late, await late.enrolled(name));
    const list = `${late.here}/submissions`;
    const seen = new Set<string>();
    const page = async (query: string) => {
      const { status, body, headers } = await world.as(late.assistant).get(`${list}?${query}`);
      expect(status).toBe(200);
      for (const one of body as Code[]) seen.add(one.code);
      return /after=([\w-]+)/.exec(headers.get("link") ?? "")?.[1] ?? "";
    };
    const after = await page("limit=1");
    const told = Buffer.from(after, "base64url").toString();
    expect(told).not.toMatch(/2026|43:21/);
    const last = await page(`limit=1&after=${after}`);
    await page(`limit=1&after=${last}`);
    expect(seen.size).toBe(3);
    for (const values of ['["2026-03-10T17:43:21.986Z",0]', '["v1.AAAA"]', "[]"]) {
      const made = Buffer.from(told.slice(0, 8) + values).toString("base64url");
      expect((await world.as(late.assistant).get(`${list}?limit=1&after=${made}`)).status).toBe(422);
    }
  });

  it("show nothing of it next to names in the gradebook or in its consequences", async () => {
    const { body } = await lab.gradebook();
    const at = body.columns.findIndex(
      (one: { content_item_id: number }) => one.content_item_id === lab.lab.id,
    );
    expect(body.columns[at].is_anonymous).toBe(true);
    for (const { cells, current_percent } of body.rows)
      expect([cells[at], current_percent]).toEqual([{ score: null, state: "ANONYMOUS", version: 0 }, null]);
  });

  it("are exported as CSV by code, and imported by it", async () => {
    const csv = (await lab.gradebook(`?content_item_id=${lab.lab.id}&format=csv`)).text;
    const lines = csv.trim().split("\r\n");
    expect(lines[0]).toMatch(/^code,\d+ .*,version$/);
    expect(lines.slice(1).map((line) => line.split(",")[0])).toEqual(codes.toSorted());
    const [ada, ben] = codes.toSorted();
    const upload = (text: string) =>
      world.as(lab.assistant).post(`${lab.here}/gradebook/import`, { csv: text, reason: "On paper" });
    const taken = await upload(`code,${lab.lab.id}\n${ada},11\n${ben?.toLowerCase()},EX\nBBBBBBBB,3`);
    expect(taken.body).toMatchObject({ changed: 2, refused: 1 });
    expect(taken.body.results).toMatchObject([
      { line: 2, user_id: null, anonymous_code: ada, outcome: "CHANGED", score: 11 },
      { line: 3, user_id: null, anonymous_code: ben, outcome: "CHANGED" },
      {
        line: 4,
        user_id: null,
        anonymous_code: "BBBBBBBB",
        code: "row_anonymous_code_unknown",
        outcome: "REFUSED",
        detail: expect.stringContaining("no such code"),
      },
    ]);
    const cells = (await lab.gradebook(`?content_item_id=${lab.lab.id}`)).body.rows.map(
      (row: { cells: object[] }) => row.cells[0],
    );
    expect(cells.slice(0, 2)).toMatchObject([{ score: 11, state: "OVERRIDDEN" }, { state: "EXCUSED" }]);
    const stale = await upload(csv.replace(`${ada},`, `${ada},9`));
    expect(stale.body).toMatchObject({ changed: 0, refused: 1 });
  });

  it("cannot be filtered by name, and reveal no name", async () => {
    const csv = `user_id,${lab.lab.id}\n${lab.learner.id},3`;
    const { body } = await world
      .as(lab.assistant)
      .post(`${lab.here}/gradebook/import`, { csv, reason: "x", overwrite: true });
    expect(body.results[0]).toMatchObject({ outcome: "REFUSED", former_score: null });
    const set = await world
      .as(lab.assistant)
      .put(`${lab.here}/grades/${lab.learner.id}/items/${lab.lab.id}`, { score: 3, reason: "x" });
    expect([set.status, set.headers.get("x-error-code")]).toEqual([400, "graded_anonymously"]);
  });

  it("make no grade of the course final before they are released", async () => {
    const refused = await lab.finalize({ include_awaiting: true });
    expect([refused.status, refused.headers.get("x-error-code")]).toEqual([400, "anonymous_unreleased"]);
    await lab.release();
    expect((await lab.finalize({ include_awaiting: true })).status).toBe(200);
    const book = (await lab.gradebook(`?content_item_id=${lab.lab.id}`)).body.rows;
    expect(book.filter((row: Code) => row.user_id !== null)).toHaveLength(5);
    expect(new Set(book.map((row: Code) => row.code))).toEqual(new Set([...codes, null]));
  });
});

describe("anonymous work of a group", () => {
  it("names neither the group nor its other members", async () => {
    const lab = await openAnonymous({ group_submission: true });
    const mate = await lab.enrolled("Mate");
    const group = await world.as(lab.teacher).post(`/offerings/${lab.offering.id}/groups`, { name: "Two" });
    for (const { id } of [lab.learner, mate])
      await world
        .as(lab.teacher)
        .put(`/offerings/${lab.offering.id}/groups/${group.body.id}/members/${id}`, {});
    const { body } = await lab.submit({ body: "Ours" });
    expect(body).toMatchObject({ group_id: group.body.id, user_id: lab.learner.id });
    const hidden = { group_id: null, shared_with: [], user_id: null };
    expect((await lab.read(body.id, lab.assistant)).body).toMatchObject(hidden);
    expect((await lab.grade(body.id, 9)).body).toMatchObject({
      ...{ ...hidden, score_obtained: 9, graded_at: "2026-03-10T00:00:00.000Z" },
    });
    const { body: all } = await world.as(lab.assistant).get(`${lab.here}/submissions`);
    const codes = (some: Code[]) => some.map((one) => one.code).toSorted();
    const { body: folded } = await world.as(lab.assistant).get(`${lab.here}/submissions?one_of_group=true`);
    expect(codes(folded)).toEqual(codes(all));
    expect(folded).toHaveLength(2);
    expect(all.map((one: { score_obtained: number }) => one.score_obtained)).toEqual([9, 9]);
    // Works graded at the same moment form a group.
    const day = "2026-03-10T00:00:00.000Z";
    expect(all.map((one: { graded_at: string }) => one.graded_at)).toEqual([day, day]);
    const changes = async () => (await world.as(lab.assistant).get(`${lab.here}/grade-changes`)).body;
    expect((await changes()).map((one: { changed_at: string }) => one.changed_at)).toEqual([day, day]);
    expect(
      (await world.as(lab.assistant).get(`${lab.here}/submissions?group_id=${group.body.id}`)).body,
    ).toEqual([]);
    await lab.release();
    const graded_at = "2026-03-10T12:00:00.000Z";
    expect((await lab.read(body.id, lab.assistant)).body).toMatchObject({ graded_at });
    expect((await changes())[0]).toMatchObject({ changed_at: graded_at });
  });
});
