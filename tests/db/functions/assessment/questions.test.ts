import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

const add = `insert into questions (question_pool_id, kind, question_text, answer_json) values
  (1, 'true_false', 'True?', '{"value": true}')`;

beforeEach(async () => {
  await rows(
    "insert into question_pools (id, university_id, title) overriding system value values (1, 1, 'Engines')",
  );
});

it("store_question_version_and_picture_uses stores each version of a question, and none twice", async () => {
  await rows(add);
  await rows(`update questions set answer_json = '{"value": false}'`);
  await rows("update questions set is_active = false");
  expect(await rows("select version, answer_json from question_versions order by version")).toEqual([
    { version: 1, answer_json: { value: true } },
    { version: 2, answer_json: { value: false } },
  ]);
});

it.each([
  ["kind = 'numeric'", 2],
  ["question_text = 'So?'", 2],
  [`options_json = '[]'`, 2],
  [`answer_json = '{"value": 1}'`, 2],
  ["explanation = 'Since'", 2],
  ["points = 2", 2],
  ["is_active = false", 1],
  [`answer_json = '{"value": true}'`, 1],
])("increment_question_version counts a change to %s up to %i", async (change, version) => {
  await rows(add);
  await rows(`update questions set ${change}`);
  expect(await value("select version from questions")).toBe(version);
});

describe("import_questions", () => {
  const given = JSON.stringify([
    { kind: "true_false", question_text: "True?", answer_json: { value: true }, points: 1, is_active: true },
    { kind: "numeric", question_text: "Two?", answer_json: { value: 2 }, points: 1.5, is_active: false },
  ]);
  const imported = (dryRun: boolean) =>
    rows(`select question_id is null as "isNone", is_new from import_questions(1, '${given}', ${dryRun})`);

  it("adds questions that the pool lacks, and returns them", async () => {
    await rows(add);
    const [old, fresh] = [
      { isNone: false, is_new: false },
      { isNone: false, is_new: true },
    ];
    expect(await imported(true)).toEqual([old, { isNone: true, is_new: true }]);
    expect(await column("select count(*)::int from questions")).toEqual([1]);
    expect(await imported(false)).toEqual([old, fresh]);
    expect(await imported(false)).toEqual([old, old]);
    expect(await rows("select points::float8, is_active from questions order by id")).toEqual([
      { points: 1, is_active: true },
      { points: 1.5, is_active: false },
    ]);
  });
});
