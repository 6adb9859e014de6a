import { beforeEach, describe, expect, it } from "vitest";
import { treeAnswersByLearnerForm } from "../../../../lib/tutor/dialogue/choices.ts";
import { openSession } from "../session.ts";
import { openConversations } from "./conversations.ts";

const session = openSession();
const { rows, column, value } = session;
const { open, openAndClaim, finish, storeNode, standOn } = openConversations(session);

const question = {
  questionId: "q1",
  question: "Which?",
  options: ["A", "B"].map((id) => ({ id, text: `Option ${id}` })),
};
const json = (thing: unknown) => (thing === null ? "null" : `'${JSON.stringify(thing)}'::jsonb`);
const request = `'{"at": "2026-03-10T12:00:00Z", "id": "r"}'`;
const say = (answer: string, questionId = "q1") => JSON.stringify({ answer, questionId });
const key = (answer: string) => ({ answer, misconceptions: [], skill: null });

/** Node 1 asks; the cursors of sessions 1 and 2 are on it. */
beforeEach(async () => {
  await storeNode({ id: 1, choices: treeAnswersByLearnerForm(question) });
  await rows(`update cache_nodes set question = ${json(question)}, question_key = ${json(key("A"))}`);
  await standOn(1);
  await standOn(1, 2);
  await rows(`update chat_messages set question = ${json(question)} where role = 'assistant'`);
});

const steps = () => rows("select user_id, choice, try_number, hints from tutor_steps order by id");
const rightOnes = () =>
  column(`select choice = question_key ->> 'answer' from tutor_steps as step
          join tutor_questions as asked on asked.id = step.question_id order by step.id`);
const record = (answer: string, { of = 1 } = {}) =>
  rows(`select store_and_grade_tutor_step(${of}, ${of}, 1, null, '${say(answer)}', null)`);

describe("question_hash", () => {
  it("covers text and options, not the question's id", async () => {
    const hash = (of: object) => value(`select question_hash(${json(of)})`);
    expect(await hash(question)).toBe(await hash({ ...question, questionId: "q2" }));
    expect(await hash(question)).toBe(
      await hash({ ...question, options: question.options.toReversed(), question: " Which?\n" }),
    );
    expect(await hash(question)).not.toBe(await hash({ ...question, question: "Who?" }));
    expect(await hash(question)).not.toBe(await hash({ ...question, options: question.options.slice(1) }));
  });
});

describe("open_session_question_with_hint_count", () => {
  it("counts no invitation to own words as help, and looks behind it", async () => {
    const asked = async () => (await rows("select * from open_session_question_with_hint_count(1)"))[0];
    const first = await asked();
    for (const [move, hints] of [
      ["@my_words", 0],
      ["@hint", 1],
      ["@my_words", 1],
    ] as const) {
      await rows(`insert into chat_messages (session_id, role, content, meta, question)
        values (1, 'assistant', '…', '{"move": "${move}"}', ${json(question)})`);
      expect(await asked()).toEqual({ ...first, message_id: first?.["message_id"], hints });
    }
  });

  it("returns the source of the question, with its node, and the number of hints since", async () => {
    const asked = async (of = 1) =>
      (await rows(`select * from open_session_question_with_hint_count(${of})`))[0];
    const first = await asked();
    expect(first).toMatchObject({ question, node_id: 1, hints: 0 });
    for (const meta of ["{}", `{"move": "@hint"}`, `{"move": "@simpler"}`])
      await rows(`insert into chat_messages (session_id, role, content, meta, question)
        values (1, 'assistant', '…', '${meta}', ${meta === "{}" ? "null" : json(question)})`);
    expect(await asked()).toMatchObject({ message_id: first?.["message_id"], hints: 2 });
    await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, aside_of_id, path_end_id)
      overriding system value values (3, 1, 1, '{}', 'content', 'content', 1, ${first?.["message_id"]})`);
    expect(await asked(3)).toEqual({ ...first, hints: 0 });
    await rows("update chat_sessions set path_end_id = 0 where id = 3");
    expect(await asked(3)).toMatchObject({ message_id: null, question: null });
    await rows(`insert into chat_messages (session_id, role, content, question)
      values (1, 'assistant', '…', ${json({ ...question, question: "Who?" })})`);
    expect(await asked()).toMatchObject({ node_id: null, hints: 0 });
  });

  it("has the node's current key, and else the message's own", async () => {
    const keyOf = () => value("select question_key from open_session_question_with_hint_count(1)");
    expect(await keyOf()).toEqual(key("A"));
    await rows(`update cache_nodes set question_key = ${json(key("B"))}`);
    expect(await keyOf()).toEqual(key("B"));
    await rows("delete from cache_nodes");
    expect(await keyOf()).toBeNull();
    await rows(`update chat_messages set question_key = ${json(key("A"))}`);
    expect(await keyOf()).toEqual(key("A"));
  });
});

describe("store_and_grade_tutor_step", () => {
  it("count tries by person, and know the same answer to the same message again", async () => {
    await record("A");
    await record("A");
    await record("B");
    await record("B", { of: 2 });
    await record("C");
    expect(await steps()).toEqual([
      { user_id: 1, choice: "A", try_number: 1, hints: 0 },
      { user_id: 1, choice: "B", try_number: 2, hints: 0 },
      { user_id: 2, choice: "B", try_number: 1, hints: 0 },
    ]);
    expect(await column("select question_hash from tutor_questions")).toEqual([
      await value(`select question_hash(${json(question)})`),
    ]);
  });

  it("uses one row for a question of a node whatever its id, and one for each key in private", async () => {
    const questions = () =>
      rows("select node_id, question_key ->> 'answer' as answer from tutor_questions order by id");
    await record("A");
    const other = { ...question, questionId: "q2" };
    await rows(
      `update cache_nodes set question = ${json(other)}, choices = ${json(treeAnswersByLearnerForm(other))}`,
    );
    await rows(`update chat_messages set question = ${json(other)} where role = 'assistant'`);
    await rows(`select store_and_grade_tutor_step(1, 1, 1, null, '${say("B", "q2")}', null)`);
    expect((await steps()).map(({ choice }) => choice)).toEqual(["A", "B"]);
    expect(await questions()).toEqual([{ node_id: 1, answer: "A" }]);
    for (const answer of ["A", "B", "A"]) {
      await rows(`insert into chat_messages (session_id, role, content, question, question_key, choices)
        values (1, 'assistant', '…', ${json(question)}, ${json(key(answer))}, ${json(treeAnswersByLearnerForm(question))})`);
      await record("A");
    }
    expect(await questions()).toEqual([
      { node_id: 1, answer: "A" },
      { node_id: null, answer: "A" },
      { node_id: null, answer: "B" },
    ]);
  });

  it("are part of the turn, with the person's run", async () => {
    await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
    expect(await open({ content: say("A") })).toMatchObject({ kind: "open", shared: true });
    expect(await steps()).toMatchObject([{ user_id: 1, choice: "A" }]);
    expect(await value("select course_offering_id from tutor_steps")).toBe(1);
  });

  it("find a private answer's question by its options", async () => {
    const { generation } = await openAndClaim({ content: "Why?", message: null });
    const answer = {
      chunks: ["Because."],
      question: { ...question, question: "Who?" },
      choices: treeAnswersByLearnerForm(question),
      key: key("B"),
    };
    await rows(
      `select * from finish_generation_and_store_answer(${generation}, '00000000-0000-4000-8000-00000000000a', ${json(answer)}, null, '{}')`,
    );
    await open({ content: say("Option B") });
    expect(await steps()).toMatchObject([{ choice: "B", try_number: 1 }]);
    expect(await rightOnes()).toEqual([true]);
    expect(await column("select node_id from tutor_questions")).toEqual([null]);
  });

  it("record nothing without a key", async () => {
    await rows("update cache_nodes set question_key = null");
    await open({ content: say("A") });
    const { generation } = await openAndClaim({ session: 2, content: "Why?", message: null });
    await finish(generation, ["Because."], { question, choices: treeAnswersByLearnerForm(question) });
    await open({ session: 2, content: say("A") });
    expect(await steps()).toEqual([]);
  });
});

describe("regrade_tutor_steps_of_node, apply_answer_key_to_node and restore_deleted_nodes", () => {
  const setKey = (answer: string) =>
    value(
      `select set_answer_key_of_node_question(1, ${json(key(answer))}, choices, 2, null, ${request}) from cache_nodes where id = 1`,
    );

  it("evaluate answers by the current key, and keep a row of none", async () => {
    await rows("select regrade_tutor_steps_of_node(1)");
    expect(await column("select node_id from tutor_questions")).toEqual([1]);
    await record("B");
    expect(await rightOnes()).toEqual([false]);
    expect(await setKey("B")).toBeNull();
    expect(await rightOnes()).toEqual([true]);
    expect(await value(`select undo_tree_change(max(id), 1, 2, ${request}) from tree_changes`)).toBeNull();
    expect(await rightOnes()).toEqual([false]);
  });

  it("reach the same questions below, with the same wrong key, and nothing else", async () => {
    const asksAgain = async (id: number, parent: number, answer: string) => {
      await storeNode({
        id,
        parent,
        message: say("A", String(id)),
        choices: treeAnswersByLearnerForm(question),
      });
      await rows(`update cache_nodes set question = ${json({ ...question, questionId: "q1" })},
        question_key = ${json(key(answer))} where id = ${id}`);
      await rows(`select regrade_tutor_steps_of_node(${id})`);
    };
    await asksAgain(2, 1, "A");
    await asksAgain(3, 2, "A");
    await asksAgain(4, 1, "B");
    const keys = () =>
      rows("select node_id, question_key ->> 'answer' as answer from tutor_questions order by 1");
    await rows(
      `select apply_answer_key_to_node(node, ${json(key("B"))}, choices, '{}') from cache_nodes as node where id = 1`,
    );
    expect(await keys()).toEqual([1, 2, 3, 4].map((node_id) => ({ node_id, answer: "B" })));
    const again = await value("select json_agg(node) from cache_nodes as node where id in (2, 4)");
    await rows(`select restore_deleted_nodes(${json(again)})`);
    expect(await keys()).toEqual([
      { node_id: 1, answer: "B" },
      { node_id: 2, answer: "A" },
      { node_id: 3, answer: "B" },
      { node_id: 4, answer: "B" },
    ]);
  });
});

describe("delete_tutor_steps_keeping_counts", () => {
  const fold = (most: number) =>
    value(`select delete_tutor_steps_keeping_counts(array(
      select step.id from erasures join tutor_steps as step on step.user_id = erasures.user_id
      order by step.id limit ${most}))`);

  const close = () => value(`select erase_account(1, 0, false, '{"at": "2026-03-10T12:00Z"}')`);
  const counts = () =>
    rows(
      "select choice, try_number, with_hints, answers::int from tutor_step_counts order by choice, try_number",
    );

  it("erases steps of erased accounts, and counts their choices without the user", async () => {
    await record("A");
    await record("B");
    await record("A", { of: 2 });
    expect(await fold(10)).toBe(0);
    await close();
    expect([await fold(1), await fold(1), await fold(1)]).toEqual([1, 1, 0]);
    expect(await steps()).toMatchObject([{ user_id: 2 }]);
    expect(await counts()).toEqual([
      { choice: "A", try_number: 1, with_hints: false, answers: 1 },
      { choice: "B", try_number: 2, with_hints: false, answers: 1 },
    ]);
  });

  it("does so with the named ones", async () => {
    await record("A");
    await record("B", { of: 2 });
    const ids = await column("select id from tutor_steps where user_id = 1");
    expect(await value(`select delete_tutor_steps_keeping_counts('{${ids},999}')`)).toBe(1);
    expect([
      await value(`select delete_tutor_steps_keeping_counts('{${ids}}')`),
      await counts(),
    ]).toMatchObject([0, [{ choice: "A", answers: 1 }]]);
    expect(await steps()).toMatchObject([{ user_id: 2 }]);
  });

  it("adds to the counts, and keeps nothing of a question without another learner", async () => {
    await record("A");
    await rows("update tutor_questions set node_id = null");
    await close();
    expect(await fold(10)).toBe(1);
    expect([await counts(), await rows("select from tutor_questions")]).toEqual([[], []]);
    await record("B", { of: 2 });
    await rows("insert into tutor_step_counts select id, 'B', 1, false, 4 from tutor_questions");
    await rows("insert into erasures (user_id, begun_at) values (2, now())");
    expect(await fold(10)).toBe(1);
    expect(await counts()).toMatchObject([{ choice: "B", answers: 5 }]);
  });
});

it("no function of grades, progress or certificates knows steps", async () => {
  expect(await column("select proname from pg_proc where prosrc ~ '\\mtutor_step' order by 1")).toEqual([
    "delete_tutor_steps_keeping_counts",
    "learner_results_for_tutor",
    "process_next_account_erasure_step",
    "reassign_other_rows_to_erased_user",
    "store_and_grade_tutor_step",
  ]);
});
