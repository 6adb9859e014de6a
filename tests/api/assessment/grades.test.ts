import { beforeEach, describe, expect, it } from "vitest";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

beforeEach(() => world.setNow("2026-03-10T12:00:00.000Z"));

/** The learner's lab has 15 of 20 points, and =Ben has submitted a paper. */
async function openBook() {
  const opened = await openLab(world);
  const ben = await make.person({ full_name: '=HYPERLINK("x"), Ben' });
  await make.enrollment(ben.id, opened.offering.id);
  const { id } = (await opened.submit({ body: "x" })).body;
  await opened.grade(id, 15);
  await opened.submit({ body: "y" }, ben, opened.paper);
  return { ...opened, ben, submission: id };
}

const setCell = ({ here, assistant }: Awaited<ReturnType<typeof openBook>>, path: string, body: object) =>
  world.as(assistant).put(`${here}/grades/${path}`, { reason: "On paper", ...body });

describe("a gradebook", () => {
  it("shows everyone with a seat, and their totals", async () => {
    const { gradebook, lab, paper, learner, ben, offering } = await openBook();
    const { body } = await gradebook();
    expect(body).toMatchObject({ course_offering_id: offering.id, total: 2 });
    expect(body.columns).toMatchObject([
      { content_item_id: lab.id, max_points: 20, counts: true, is_released: false },
      { content_item_id: paper.id, max_points: 80, content_type: "assignment" },
    ]);
    expect(body.rows).toMatchObject([
      {
        user_id: ben.id,
        cells: [
          { score: null, state: "NONE" },
          { score: null, state: "SUBMITTED" },
        ],
        ...{ current_percent: null, current_letter: null, final_percent: 0, final: null },
      },
      {
        user_id: learner.id,
        cells: [
          { score: 15, state: "GRADED" },
          { score: null, state: "NONE" },
        ],
        ...{ current_percent: 75, current_letter: "C", final_percent: 15, final: null },
      },
    ]);
    const page = (await gradebook(`?skip=1&limit=1&q=${learner.full_name}`)).body;
    expect([page.rows, page.total]).toEqual([[], 1]);
  });

  it("is a CSV file with formulas as text, and importing it changes nothing", async () => {
    const { gradebook, here, assistant, lab, paper, learner, ben } = await openBook();
    const csv = await gradebook("?format=csv");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [head, first, second] = csv.text.split("\r\n");
    expect(head).toMatch(new RegExp(`^user_id,full_name,email,${lab.id} .+,${paper.id} .+,current_percent`));
    expect(first).toBe(`${ben.id},"'=HYPERLINK(""x""), Ben",${ben.email},,,,,0,,,,,,,0`);
    expect(second).toBe(`${learner.id},${learner.full_name},${learner.email},15,,75,C,15,,,,,,,${lab.id}v1`);
    const import_ = { csv: csv.text, reason: "The same" };
    expect((await world.as(assistant).post(`${here}/gradebook/import`, import_)).body).toMatchObject({
      ...{ dry_run: false, changed: 0, unchanged: 1, refused: 0, results: [] },
    });
  });

  it("imports scores from a CSV file, reports rejected cells, and writes nothing in a dry run", async () => {
    const { gradebook, here, university, lab, paper, learner, ben, offering } = await openBook();
    const admin = await make.holder("university_admin", university.id);
    await make.enrollment(admin.id, offering.id);
    const lines = [
      `email,user_id,${lab.id},${paper.id} Paper,9999999`,
      `x,${learner.id},17.25,EX,`,
      `x,${ben.id},20.005,40,5`,
      `x,${admin.id},,80,`,
      `x,${ben.id},1,1,`,
      "x,nobody,1,1,",
    ];
    const upload = (dry_run: boolean) =>
      world
        .as(admin)
        .post(`${here}/gradebook/import`, { csv: lines.join("\n"), dry_run, reason: "Exam on paper" });
    const tried = await upload(true);
    expect(tried.body).toMatchObject({ dry_run: true, changed: 3, unchanged: 0, refused: 5 });
    expect(tried.body.results).toMatchObject([
      { line: 2, user_id: learner.id, content_item_id: lab.id, outcome: "CHANGED", former_score: 15 },
      { line: 2, user_id: learner.id, content_item_id: paper.id, outcome: "CHANGED" },
      { line: 3, user_id: ben.id, content_item_id: paper.id, outcome: "CHANGED" },
      {
        line: 3,
        content_item_id: 9_999_999,
        outcome: "REFUSED",
        detail: "The gradebook has no such item",
      },
      { line: 3, content_item_id: lab.id, outcome: "REFUSED", detail: expect.stringContaining("2 decimals") },
      { line: 4, user_id: admin.id, outcome: "REFUSED", detail: "You cannot grade your own work" },
      { line: 5, user_id: ben.id, outcome: "REFUSED", detail: "An earlier line is about the same person" },
      { line: 6, user_id: null, outcome: "REFUSED" },
    ]);
    const cells = async () =>
      (await gradebook()).body.rows.map(({ cells }: { cells: { score: number; state: string }[] }) =>
        cells.map(({ score, state }) => `${state} ${score}`),
      );
    const before = await cells();
    expect(before).toContainEqual(["GRADED 15", "NONE null"]);
    expect((await upload(false)).body).toEqual({ ...tried.body, dry_run: false });
    expect(await cells()).toEqual(
      expect.arrayContaining([
        ["OVERRIDDEN 17.25", "EXCUSED null"],
        ["NONE null", "OVERRIDDEN 40"],
      ]),
    );
    expect((await upload(false)).body).toMatchObject({ changed: 0, unchanged: 3, refused: 5 });
  });

  it("takes no file that says nothing", async () => {
    const { here, assistant } = await openBook();
    for (const csv of ["", "name,1\n", "user_id,name\n1,x", 'user_id,1\n1,"x', "user_id,1,1 again\n1,2,3"]) {
      const refused = await world.as(assistant).post(`${here}/gradebook/import`, { csv, reason: "x" });
      expect([refused.status, refused.body.detail?.[0]?.loc], csv).toEqual([422, ["body", "csv"]]);
    }
  });
});

describe("an override by staff", () => {
  it("keeps the score or the excuse that it does not name", async () => {
    const book = await openBook();
    const path = `${book.learner.id}/items/${book.lab.id}`;
    const none = [null, false, "GRADED"] as const;
    const set = [18, false, "OVERRIDDEN"] as const;
    const excused = [null, true, "EXCUSED"] as const;
    for (const [given, present] of [
      [{}, none],
      [{ score: 18 }, set],
      [{}, set],
      [{ is_excused: false }, set],
      [{ is_excused: true }, excused],
      [{}, excused],
      [{ score: null }, none],
      [{ is_excused: true }, excused],
      [{ score: 18 }, set],
      [{ score: null }, none],
      [{ is_excused: true }, excused],
      [{ is_excused: false }, none],
    ] as const) {
      const { body } = await setCell(book, path, given);
      const [cell] = (await book.gradebook()).body.rows[1].cells;
      expect([given, body.score, body.is_excused, cell.state]).toEqual([given, ...present]);
    }
  });

  it("replaces the achieved score until it is withdrawn, and each change is recorded", async () => {
    const book = await openBook();
    const { gradebook, here, assistant, teacher, lab, learner } = book;
    const path = `${learner.id}/items/${lab.id}`;
    expect((await setCell(book, path, { score: 18 })).body).toEqual({
      ...{ user_id: learner.id, content_item_id: lab.id, score: 18, is_excused: false, version: 2 },
    });
    await setCell(book, path, { is_excused: true });
    expect((await gradebook()).body.rows[1]).toMatchObject({ current_percent: null, final_percent: 0 });
    await setCell(book, path, { score: null });
    expect((await gradebook()).body.rows[1].cells[0]).toEqual({ score: 15, state: "GRADED", version: 4 });
    expect((await setCell(book, path, { score: 1, is_excused: true })).status).toBe(422);
    const changes = (await world.as(assistant).get(`${here}/grade-changes?user_id=${learner.id}`)).body;
    expect(
      changes.map(({ kind, former, current }: Record<string, unknown>) => ({ kind, former, current })),
    ).toEqual([
      { kind: "item_set", former: { score: null, is_excused: true }, current: null },
      {
        kind: "item_set",
        former: { score: 18, is_excused: false },
        current: { score: null, is_excused: true },
      },
      { kind: "item_set", former: null, current: { score: 18, is_excused: false } },
      {
        kind: "submission_graded",
        former: null,
        current: expect.objectContaining({ score: 15, source: "hand" }),
      },
    ]);
    expect(changes[0]).toMatchObject({ reason: "On paper", changed_by_user_id: assistant.id });
    const admin = await make.holder("university_admin", book.university.id);
    const audited = await world.as(admin).get("/admin/audit?action=grade.changed");
    expect(audited.body.data ?? audited.body).toHaveLength(4);
    expect(
      (await world.as(assistant).put(`${here}/grades/${learner.id}`, { score: 90, reason: "x" })).status,
    ).toBe(403);
    await world.as(teacher).put(`${here}/grades/${learner.id}`, { score: 90, reason: "x" });
    expect((await gradebook()).body.rows[1]).toMatchObject({ score_override: 90, final_percent: 15 });
  });

  it("needs an item that counts and an enrolled person", async () => {
    const book = await openBook();
    const { item } = await make.topic();
    const stranger = await make.person();
    const details = await Promise.all([
      setCell(book, `${book.learner.id}/items/${item.id}`, { score: 1 }),
      setCell(book, `${stranger.id}/items/${book.lab.id}`, { score: 1 }),
    ]);
    expect(details.map(({ status, body }) => [status, body.detail])).toEqual([
      [404, "Graded item not found"],
      [404, "Enrollment not found"],
    ]);
  });
});

describe("own grades", () => {
  it("include released ones only", async () => {
    const { mine, release, here, teacher, lab, paper } = await openBook();
    const seen = async () => {
      const { items, current_percent } = (await mine()).body;
      return [items.map(({ score, state }: Record<string, unknown>) => [score, state]), current_percent];
    };
    const hidden = [null, null];
    expect(await seen()).toEqual([[hidden, hidden], null]);
    await release({ content_item_ids: [paper.id] });
    expect(await seen()).toEqual([[hidden, [null, "NONE"]], null]);
    await release({ content_item_ids: [lab.id] });
    expect(await seen()).toEqual([
      [
        [15, "GRADED"],
        [null, "NONE"],
      ],
      75,
    ]);
    await release({ released: false });
    expect(await seen()).toEqual([[hidden, hidden], null]);
    await world.as(teacher).put(`${here}/grading-scheme`, { release_mode: "automatic" });
    expect((await seen())[1]).toBe(75);
    expect((await mine(await make.person())).body).toEqual({ detail: "Not enrolled in this offering" });
  });
});

describe("a grading scheme", () => {
  it("weighs groups, has custom letters, and only accepts its items", async () => {
    const { here, teacher, learner, gradebook, lab, paper } = await openBook();
    const put = (body: object) => world.as(teacher).put(`${here}/grading-scheme`, body);
    const read = () => world.as(learner).get(`${here}/grading-scheme`);
    expect((await read()).body).toMatchObject({
      is_graded: false,
      passing_percent: 60,
      release_mode: "MANUAL",
    });
    const groups = [
      { name: "Labs", weight: 60, content_item_ids: [lab.id] },
      { name: "Papers", weight: 20, content_item_ids: [paper.id] },
    ];
    const letter_scale = [
      { letter: "pass", min_percent: 50 },
      { letter: "fail", min_percent: 0 },
    ];
    const set = await put({ groups, letter_scale, passing_percent: 50 });
    expect(set.body).toMatchObject({ is_graded: true, groups, letter_scale, passing_percent: 50 });
    expect((await read()).body).toEqual(set.body);
    expect((await gradebook()).body.rows[1]).toMatchObject({ current_letter: "pass", final_percent: 56.25 });
    const { item } = await make.topic();
    expect((await put({ groups: [{ name: "x", weight: 1, content_item_ids: [item.id] }] })).body.detail).toBe(
      `Grade group content_item_id '${item.id}' does not exist in this course`,
    );
    for (const faulty of [
      { letter_scale: letter_scale.slice(0, 1) },
      { groups: [groups[0], groups[0]] },
      { groups: [groups[0], { ...groups[0], name: "Again" }] },
    ])
      expect((await put(faulty)).status).toBe(422);
  });

  it("has no item that was deleted or no longer takes a result, and can be saved as it is read", async () => {
    const { here, teacher, lab, module, university } = await openBook();
    const scheme = () => world.as(teacher).get(`${here}/grading-scheme`);
    const put = (body: object) => world.as(teacher).put(`${here}/grading-scheme`, body);
    const [gone, text] = [
      await make.contentItem(module, university.id, { type: "assignment" }),
      await make.contentItem(module, university.id, { type: "assignment" }),
    ];
    const groups = [
      { name: "Labs", weight: 60, content_item_ids: [lab.id, text.id] },
      { name: "Papers", weight: 40, content_item_ids: [gone.id] },
    ];
    expect((await put({ groups })).status).toBe(200);
    expect((await world.as(teacher).delete(`/content/${gone.id}`)).status).toBe(204);
    const { body: types } = await world.as(teacher).get("/content-types/");
    const { id: content_type_id } = types.find(({ name }: { name: string }) => name === "text");
    const changed = await world.as(teacher).put(`/content/${text.id}`, { content_type_id });
    expect([changed.status, changed.body.detail]).toEqual([200, undefined]);
    const left = [[lab.id], []].map((content_item_ids, at) => ({ ...groups[at], content_item_ids }));
    const { body } = await scheme();
    expect(body.groups).toMatchObject(left);
    for (const update of [{ passing_percent: 55 }, { groups: body.groups }]) {
      const saved = await put(update);
      expect([saved.status, saved.body.groups]).toMatchObject([200, left]);
    }
  });
});

describe("a final grade", () => {
  it("completes the course that waited for it, lasts until it is reopened, and notifies its owner", async () => {
    const book = await openBook();
    const { grade, submit, finalize, reopen, mine, here, teacher, learner, paper, lab, submission } = book;
    await world.as(teacher).put(`${here}/grading-scheme`, {});
    const { id } = (await submit({ body: "z" }, learner, paper)).body;
    await grade(id, 77);
    const status = async () => (await world.as(learner).get("/enrollments/my-enrollments")).body[0].status;
    expect(await status()).toBe("ACTIVE");
    expect((await finalize({ user_ids: [learner.id], reason: "Term ends" })).body).toEqual({
      ...{ finalized: 1, passed: 1, awaiting: 0, people: [] },
    });
    const final = {
      ...{ final_score: 92, letter_grade: "A", passed: true, graded_at: "2026-03-10T12:00:00.000Z" },
      is_outdated: false,
    };
    expect((await mine()).body).toMatchObject({ final, current_percent: null });
    expect(await status()).toBe("COMPLETED");
    const refused = [
      await grade(submission, 1),
      await submit({ body: "late" }),
      await setCell(book, `${learner.id}/items/${lab.id}`, { score: 1 }),
    ];
    for (const { status, body } of refused)
      expect([status, body.detail]).toEqual([400, "The grade of this course is final"]);
    expect((await finalize()).body).toMatchObject({ finalized: 0, passed: 0, awaiting: 1 });
    expect((await finalize({ include_awaiting: true })).body).toMatchObject({ finalized: 1, awaiting: 1 });
    expect((await reopen()).body).toEqual({ reopened: 2 });
    expect((await mine()).body.final).toBeNull();
    expect((await grade(submission, 1)).status).toBe(200);
  });
});
