import { beforeEach, describe, expect, it } from "vitest";
import { questionsToMeasureQuery } from "../../../../lib/tutor/passages/measure-retrieval.ts";
import { meaningIn, vectorStandIn } from "../../../support/embeddings-stand-in.ts";
import { openSession } from "../session.ts";
import { questionOfAda } from "./conversations.ts";

const { rows, value } = openSession();

const moment = "'2026-03-10T12:00:00Z'";
const later = "'2026-03-11T12:00:01Z'";

const look = (when = moment, most = 50) => value(`select start_due_retrieval_measurements(${when}, ${most})`);
const measure = (most = 20) => value(`select measure_next_retrieval_step(${moment}, ${most})`);
const measured = async (course = 1) =>
  (
    await rows(`select asked, found, measured_at is not null as is_measured, last_question_id as after
    from passage_measures where course_id = ${course}`)
  )[0];

const quoted = (data: object) => `'${JSON.stringify(data).replaceAll("'", "''")}'::jsonb`;

const item = (id: number, module: number, type: string, data: object) =>
  rows(`insert into content_items (id, module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
    overriding system value
    select ${id}, ${module}, 1, 1, id, 'Item', ${id}, ${quoted(data)} from content_types where name = '${type}'`);

const page = (words: string) => ({ blocks: [{ type: "paragraph", text: words.padEnd(90, ".") }] });

const questions = (pool: number, ...texts: string[]) =>
  rows(`insert into questions (question_pool_id, kind, question_text, answer_json)
    select ${pool}, 'short_answer', text, '{"texts": ["x"]}'
    from unnest(array[${texts.map((text) => `'${text}'`)}]) with ordinality as one (text, at) order by at`);

/** Two modules with a page and a quiz each. Each pool has three questions: on waves, on heat, on neither. */
beforeEach(async () => {
  await rows(
    "insert into question_pools (id, university_id, title) overriding system value values (1, 1, 'W'), (2, 1, 'H')",
  );
  await rows(`insert into modules (id, course_id, module_type, title, sequence_index, is_published) overriding system value
    values (11, 1, 'unit', 'Waves', 11, true), (12, 1, 'unit', 'Heat', 12, true)`);
  await item(101, 11, "text", page("Standing waves have nodes"));
  await item(102, 12, "text", page("Heat flows to what is colder"));
  await item(103, 11, "quiz", { question_pool_id: 1 });
  await item(104, 12, "quiz", { question_pool_id: 2 });
  for (const pool of [1, 2]) await questions(pool, "What of a wave?", "What of heat?", "What of Babbage?");
});

const asked = () =>
  rows("select question_text, modules from quiz_questions_of_modules_with_passages(1) order by id");

describe("the questions of a course", () => {
  it("are those of its quizzes' pools, each with the modules that ask it", async () => {
    expect((await asked()).map(({ modules }) => modules)).toEqual([[11], [11], [11], [12], [12], [12]]);
  });

  it("are each one question, however many quizzes draw from their pool", async () => {
    await item(105, 11, "quiz", { question_pool_id: 2 });
    await item(106, 12, "quiz", { question_pool_id: 2, quiz_mode: "exam" });
    const found = await asked();
    expect(found.map(({ modules }) => modules)).toEqual([[11], [11], [11], [11, 12], [11, 12], [11, 12]]);
  });

  it("exclude modules without text, retired questions, and unknown pools", async () => {
    await rows(
      "update questions set is_active = false where question_pool_id = 1 and question_text like '%heat%'",
    );
    await rows("update content_items set is_active = false where id = 102");
    expect(await asked()).toHaveLength(2);
    for (const id of ["7e99", '"1"', "1.5", "[1]", "null", "-1"])
      await rows(`update content_items set data_json = '{"question_pool_id": ${id}}' where id = 103`);
    expect(await asked()).toEqual([]);
    await look();
    expect(await value("select hangs_on from passage_measures where course_id = 1")).toHaveLength(32);
  });
});

describe("find_passages_ignoring_access", () => {
  it("ranks whatever the course tells, whoever may open it, but what is switched off", async () => {
    await rows("update modules set is_published = false where id = 11");
    const found = () =>
      rows("select content_item_id from find_passages_ignoring_access(1, 'nodes', null, null, 5)");
    expect(await found()).toEqual([{ content_item_id: 101 }]);
    await rows("update content_items set is_active = false where id = 101");
    expect(await found()).toEqual([]);
  });
});

describe("a course's measure", () => {
  it("is how many of its questions find a passage of their module among five", async () => {
    expect(await look()).toBe(false);
    expect(await measured()).toEqual({ asked: 0, found: 0, is_measured: false, after: 0 });
    while (await measure());
    expect(await measured()).toEqual({ asked: 6, found: 2, is_measured: true, after: null });
    expect(await measured(2)).toEqual({ asked: 0, found: 0, is_measured: true, after: null });
  });

  it("continues after an interrupted step, and the former measure applies until the end", async () => {
    await look();
    while (await measure());
    await questions(1, "And waves?", "And nodes?");
    await look(later);
    expect(await measure(3)).toBe(true);
    expect(await measured()).toMatchObject({ asked: 6, found: 2, is_measured: true });
    expect(Number((await measured())?.["after"])).toBeGreaterThan(0);
    while (await measure(3));
    expect(await measured()).toEqual({ asked: 8, found: 4, is_measured: true, after: null });
  });

  it.each([
    ["its passages", `update content_items set data_json = ${quoted(page("Heat"))} where id = 101`],
    ["their module", "update content_items set module_id = 12 where id = 101"],
    ["its questions", "update questions set question_text = 'Waves' where question_text = 'What of heat?'"],
    ["the active questions", "update questions set is_active = false where question_text = 'What of heat?'"],
    ["the quiz's module", "update content_items set module_id = 12 where id = 103"],
    ["nothing for a month", "update passage_measures set measured_at = '2026-02-01Z'"],
  ])("is taken again when %s changed, looked at once a day", async (_, change) => {
    await look();
    while (await measure());
    await look(later);
    expect(await measured()).toMatchObject({ after: null });
    await rows(change);
    await look(later);
    expect(await measured()).toMatchObject({ after: null });
    await look("'2026-03-12T13:00:00Z'");
    expect(await measured()).toMatchObject({ after: 0 });
  });

  it("also uses the questions' embeddings, if given, and again with another model", async () => {
    await rows(vectorStandIn);
    await rows(
      "update questions set question_text = 'Is it warm?' where question_pool_id = 2 and question_text like '%Babbage%'",
    );
    await look();
    while (await measure());
    expect(await measured()).toMatchObject({ asked: 6, found: 2 });
    await rows(`insert into passage_vectors select id, 'model', string_to_array(
      case when body like 'Heat%' then '${meaningIn("Heat")}' else '${meaningIn("")}' end, ',')::real[] from passages`);
    await look(later);
    const due = () => rows(questionsToMeasureQuery(4));
    expect(await due()).toEqual([]);
    await value("select start_due_retrieval_measurements('2026-03-12T13:00:00Z', 50, 'model')");
    const next = await due();
    expect(next.map((one) => one["university_id"])).toEqual([1, 1, 1, 1]);
    for (let isMore: unknown = true; isMore; ) {
      const meanings = Object.fromEntries(
        (await due()).map((one) => [one["id"], meaningIn(String(one["question_text"]))]),
      );
      isMore = await value(
        `select measure_next_retrieval_step(${moment}, 4, 'model', '${JSON.stringify(meanings)}')`,
      );
    }
    // There are only two passages, so the nearest is always among the five.
    expect(await measured()).toMatchObject({ asked: 6, found: 6 });
  });

  it("is looked at for so many courses at a time", async () => {
    expect(await look(moment, 2)).toBe(true);
    expect(await value(`select count(*)::int from passage_measures where looked_at = ${moment}`)).toBe(2);
    expect(await look(moment, 2)).toBe(false);
    expect(await value(`select count(*)::int from passage_measures where looked_at = ${moment}`)).toBe(3);
  });
});

describe("select_and_store_passages_for_question", () => {
  it.each([
    [0, 0, true],
    [19, 19, true],
    [20, 11, true],
    [20, 12, false],
    [250, 149, true],
    [250, 150, false],
  ])("with %i questions, of which %i find a right passage: %s", async (all, found, perhaps) => {
    await rows(questionOfAda);
    const isOnlyPerhaps = () =>
      value(
        "select perhaps from select_and_store_passages_for_question(1, 1, 3, now(), 'What of a wave, heat or nodes?', 1)",
      );
    expect(await isOnlyPerhaps()).toBe(true);
    await rows(
      `insert into passage_measures (course_id, looked_at, asked, found) values (1, now(), ${all}, ${found})`,
    );
    expect(await isOnlyPerhaps()).toBe(perhaps);
  });
});
