import { beforeEach, describe, expect, it } from "vitest";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

beforeEach(() => world.setNow("2026-03-10T12:00:00.000Z"));

/** The learner's lab has 15 of 20 points, and Ben has none. */
async function openBook() {
  const opened = await openLab(world);
  const ben = await make.person({ full_name: "Ben" });
  await make.enrollment(ben.id, opened.offering.id);
  const { id } = (await opened.submit({ body: "x" })).body;
  await opened.grade(id, 15);
  const { here, assistant, other, gradebook } = opened;
  return {
    ...{ ...opened, ben, submission: id },
    upload: (csv: string, more: object = {}, person = assistant) =>
      world.as(person).post(`${here}/gradebook/import`, { csv, reason: "Exam on paper", ...more }),
    exported: async () => (await gradebook("?format=csv")).text as string,
    set: (user: { id: number }, item: { id: number }, score: number) =>
      world.as(other).put(`${here}/grades/${user.id}/items/${item.id}`, { score, reason: "A colleague's" }),
    cells: async (user: { id: number }) => {
      const { rows } = (await gradebook()).body;
      return rows
        .find((row: { user_id: number }) => row.user_id === user.id)
        .cells.map(({ score }: { score: number | null }) => score);
    },
  };
}

/** Replaces the scores in a person's line, the first item's before the second's. */
const edited = (csv: string, user: { id: number }, scores: [number | string, number | string]) =>
  csv
    .split("\r\n")
    .map((line) => {
      const fields = line.split(",");
      return Number(fields[0]) === user.id
        ? [...fields.slice(0, 3), ...scores, ...fields.slice(5)].join()
        : line;
    })
    .join("\r\n");

describe("a file of grades", () => {
  it("rejects each line with values behind the columns", async () => {
    const { upload, lab, learner, ben, cells } = await openBook();
    const csv = `user_id,${lab.id} Essay\n${learner.id},7,5\n${ben.id},8`;
    for (const dry_run of [true, false]) {
      const { body } = await upload(csv, { dry_run });
      expect(body).toMatchObject({ changed: 1, refused: 1 });
      expect(body.results[0]).toMatchObject({
        ...{ line: 2, user_id: learner.id, outcome: "REFUSED" },
        detail: expect.stringContaining("Too many values in this line"),
      });
    }
    expect([await cells(learner), await cells(ben)]).toEqual([
      [15, null],
      [8, null],
    ]);
  });

  it("identifies a person by any external id of the offering's university, and of no other", async () => {
    const { upload, lab, offering, learner, ben, cells } = await openBook();
    const elsewhere = await make.university();
    await world.deps.db.execute(`insert into sourced_people (university_id, sourced_id, user_id) values
      (${offering.university_id}, 's-old', ${ben.id}), (${offering.university_id}, 's-new', ${ben.id}),
      (${elsewhere.id}, 's-there', ${learner.id})`);
    const csv = [
      `user_id,external_id,${lab.id}`,
      ...[",s-old,8", ",s-there,9", `${learner.id},,7`, ",s-new,6", ",,5"],
    ].join("\n");
    const { body } = await upload(csv);
    expect(body).toMatchObject({ changed: 2, refused: 3 });
    const refused = body.results.filter(({ outcome }: { outcome: string }) => outcome === "REFUSED");
    expect(refused).toMatchObject([
      { line: 3, user_id: null, outcome: "REFUSED" },
      { line: 5, outcome: "REFUSED", detail: "An earlier line is about the same person" },
      { line: 6, user_id: null, outcome: "REFUSED" },
    ]);
    expect([await cells(ben), await cells(learner)]).toEqual([
      [8, null],
      [7, null],
    ]);
    expect((await upload(csv, { dry_run: true })).body).toMatchObject({ changed: 0, refused: 3 });
  });

  it("may have semicolons or tabs and decimal commas, and the answer says how it was read", async () => {
    const { upload, lab, paper, learner, cells } = await openBook();
    const semicolons = await upload(
      `user_id;${lab.id} Light, and more;${paper.id}\r\n${learner.id};7,5;70\r\n`,
    );
    expect(semicolons.body).toMatchObject({ changed: 2, read_as: { separator: ";", decimal: "," } });
    expect(await cells(learner)).toEqual([7.5, 70]);
    const tabs = await upload(`user_id\t${lab.id}\n${learner.id}\t8.25`);
    expect(tabs.body).toMatchObject({ changed: 1, read_as: { separator: "\t", decimal: "." } });
    expect(await cells(learner)).toEqual([8.25, 70]);
  });

  it("has at most so many rows, columns and cells", async () => {
    const { upload, lab } = await openBook();
    for (const [csv, msg] of [
      [`user_id,${lab.id}${"\n1,1".repeat(1001)}`, "Input should have at most 1001 rows"],
      [`user_id,${lab.id}${",x".repeat(300)}`, "Input should have at most 300 columns"],
      [`user_id,${lab.id}${`\n1,1${",".repeat(290)}`.repeat(900)}`, "Input should have at most 250000 cells"],
    ] as const)
      expect((await upload(csv)).body.detail).toMatchObject([{ loc: ["body", "csv"], msg }]);
  });

  it("that was exported does not overwrite a colleague's later changes", async () => {
    const { upload, exported, set, lab, paper, learner, ben, cells } = await openBook();
    const old = await exported();
    await set(learner, lab, 19);
    await set(ben, paper, 60);
    const untouched = await upload(old);
    // One cell has an outdated score; the other is empty.
    expect(untouched.body).toMatchObject({ changed: 0, refused: 1 });
    expect(untouched.body.results).toEqual([
      {
        ...{
          line: expect.any(Number),
          user_id: learner.id,
          anonymous_code: null,
          content_item_id: lab.id,
          outcome: "REFUSED",
        },
        ...{ former_score: 19, score: 15 },
        detail: "It has changed since the export: 19 now, 15 in the file",
        code: "row_changed_since_export",
      },
    ]);
    const mine = edited(edited(old, learner, [16, 70]), ben, [5, ""]);
    expect((await upload(mine, { dry_run: true })).body).toMatchObject({ changed: 2, refused: 1 });
    expect((await upload(mine)).body).toMatchObject({ changed: 2, refused: 1 });
    expect([await cells(learner), await cells(ben)]).toEqual([
      [19, 70],
      [5, 60],
    ]);
    // The file's scores are stored, so the upload can be repeated.
    expect((await upload(mine)).body).toMatchObject({ changed: 0, unchanged: 2, refused: 1 });
    expect((await upload(mine, { overwrite: true })).body).toMatchObject({ changed: 1, refused: 0 });
    expect(await cells(learner)).toEqual([16, 70]);
  });

  it("sees a grade, a regrade, an excuse and other points of the item, too", async () => {
    const { upload, exported, grade, submission, here, assistant, teacher, lab, learner, cells } =
      await openBook();
    const excuse = { is_excused: true, reason: "Ill" };
    const changes = [
      () => grade(submission, 12),
      () => world.as(assistant).put(`${here}/grades/${learner.id}/items/${lab.id}`, excuse),
      () =>
        world
          .as(assistant)
          .put(`${here}/grades/${learner.id}/items/${lab.id}`, { score: null, reason: "Well" }),
      () =>
        world.as(teacher).put(`/content/${lab.id}`, {
          ...{ data_json: { grading: { max_points: 40 } }, rescale: true },
        }),
    ];
    for (const change of changes) {
      const old = await exported();
      expect((await change()).status).toBe(200);
      const refused = (await upload(edited(old, learner, [3, ""]))).body;
      expect(refused).toMatchObject({ changed: 0, refused: 1 });
    }
    expect(await cells(learner)).toEqual([24, null]);
  });

  it("sets scores without a version, and its dry run lists what it would replace", async () => {
    const { upload, set, lab, learner } = await openBook();
    await set(learner, lab, 19);
    const csv = `user_id,${lab.id},version\n${learner.id},15,`;
    expect((await upload(csv, { dry_run: true })).body.results).toMatchObject([
      { outcome: "CHANGED", former_score: 19, score: 15 },
    ]);
    expect((await upload(csv)).body).toMatchObject({ changed: 1 });
  });

  it("is not read for callers who may not grade there", async () => {
    const { upload, lab, learner, course } = await openBook();
    const stranger = await make.person();
    const elsewhere = await make.holder("ta", (await make.university()).id);
    for (const csv of [`user_id,${lab.id}\n`, "", 'user_id,"', `user_id,${lab.id}\n${learner.id},`])
      for (const person of [stranger, elsewhere, learner])
        expect((await upload(csv, {}, person)).status, csv).toBe(403);
    const admin = await make.holder("university_admin", course.university_id);
    await world.as(admin).put(`/courses/${course.id}`, { is_published: false });
    expect((await upload("", {}, elsewhere)).status).toBe(404);
  });
});

describe("concurrent imports", () => {
  it("an import during a grade of one cell: the later one has the former's version, or is rejected", async () => {
    const { upload, exported, grade, submission, lab, learner, gradebook } = await openBook();
    for (let round = 0; round < 6; round += 1) {
      const old = await exported();
      const before = (await gradebook()).body.rows.find(
        (row: { user_id: number }) => row.user_id === learner.id,
      );
      const both = [
        () => upload(edited(old, learner, [round + 1, ""])),
        () => grade(submission, 20 - round - 1),
      ];
      const order = round % 2 ? both : both.toReversed();
      const replies = await Promise.all(order.map((ask) => ask()));
      const imported = replies[round % 2 ? 0 : 1]?.body;
      const after = (await gradebook()).body.rows.find(
        (row: { user_id: number }) => row.user_id === learner.id,
      );
      expect(imported.changed + imported.refused).toBe(1);
      expect(after.cells[0].version).toBe(before.cells[0].version + 1 + imported.changed);
      // The import ran after the grade and did not overwrite it.
      if (imported.refused) expect(imported.results[0].detail, `${lab.id}`).toMatch(/^It has changed since/);
    }
  });

  it("of one export: one sets its scores, and the others are rejected", async () => {
    const { upload, exported, learner, ben, cells } = await openBook();
    for (let round = 0; round < 5; round += 1) {
      const old = await exported();
      const scores = [1, 2, 3].map((score) => score + 3 * round);
      const files = scores.map((score) => edited(edited(old, learner, [score, ""]), ben, [score, ""]));
      const replies = await Promise.all(files.map((csv) => upload(csv)));
      expect(replies.map(({ body }) => [body.changed, body.refused]).sort()).toEqual([
        [0, 2],
        [0, 2],
        [2, 0],
      ]);
      const winner = scores[replies.findIndex(({ body }) => body.changed === 2)];
      expect([await cells(learner), await cells(ben)]).toEqual([
        [winner, null],
        [winner, null],
      ]);
    }
  });
});
