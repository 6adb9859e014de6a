import { describe, expect, it } from "vitest";
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
const key = { answer: "A", misconceptions: [], skill: null };
const choices = treeAnswersByLearnerForm(question, { hasKey: true });
const literal = (thing: unknown) => `'${JSON.stringify(thing)}'::jsonb`;
const hint = { content: "@hint", message: "@hint", move: "@hint" };

/** A root that asks the question with a key, and moves below it, one below the other. */
async function asked(...moves: string[]) {
  await storeNode({ id: 101, choices });
  await rows(
    `update cache_nodes set question = ${literal(question)}, question_key = ${literal(key)} where id = 101`,
  );
  for (const [at, message] of moves.entries())
    await storeNode({ id: at + 102, parent: at + 101, message, chunks: [`Move ${at}`] });
}

const told = (content: string, { move = null as string | null, asks = question as object | null } = {}) =>
  rows(`insert into chat_messages (session_id, role, content, meta, question, question_key)
        values (1, 'assistant', '${content}', ${literal(move ? { move } : {})},
                ${asks ? literal(asks) : "null"}, ${asks ? literal(key) : "null"})`);

describe("is_tutor_move_message", () => {
  it("is true for a message with its sign, as no other message of the tree has", async () => {
    const said = ["@hint", "Start.", '{"answer":"@hint","questionId":"q1"}'];
    for (const message of said)
      expect(await value(`select is_tutor_move_message('${message}')`)).toBe(message === "@hint");
  });
});

describe("the answer to a move", () => {
  it("carries its parent's question, from every producer (copy_parent_question_to_move), also later (copy_changed_question_to_moves)", async () => {
    await asked("@hint", "@simpler");
    const carried = () => rows("select question, choices, question_key from cache_nodes order by id");
    expect(new Set((await carried()).map((row) => JSON.stringify(row))).size).toBe(1);
    await rows("update cache_nodes set question = null, choices = null, question_key = null where id = 103");
    expect((await carried())[2]).toMatchObject({ question, question_key: key });
    const corrected = { ...key, skill: "Signs" };
    await rows(`update cache_nodes set question_key = ${literal(corrected)} where id = 101`);
    for (const row of await carried()) expect(row).toMatchObject({ question_key: corrected });
  });

  it("has the question above for a class, and in private that of the answer before it", async () => {
    await asked();
    await standOn(101);
    const { generation } = await openAndClaim(hint);
    await finish(generation, ["Look left."], { question: { ...question, questionId: "other" } });
    expect(await rows("select move, question, question_key from generations")).toEqual([
      { move: "@hint", question, question_key: key },
    ]);
    await rows("update chat_sessions set cache_state = 'diverged', answering_until = null where id = 1");
    await told("Privately.", { asks: { ...question, questionId: "q2" } });
    const apart = await openAndClaim({ ...hint, offered: true });
    await finish(apart.generation, ["Look right."], { question });
    expect(
      await rows(`select question, question_key from generations where id = ${apart.generation}`),
    ).toEqual([{ question: { ...question, questionId: "q2" }, question_key: key }]);
  });
});

describe("count_hints_for_question_of_node", () => {
  it("counts the hints to a question since it was first asked", async () => {
    await asked("@hint", "@simpler", "@hint");
    expect(await column("select count_hints_for_question_of_node(id) from cache_nodes order by id")).toEqual([
      0, 1, 1, 2,
    ]);
    await storeNode({ id: 109, parent: 104, message: '{"answer":"B","questionId":"q1"}' });
    expect(await value("select count_hints_for_question_of_node(109)")).toBe(0);
    await rows(`update cache_nodes set question = ${literal(question)} where id = 109`);
    expect(await value("select count_hints_for_question_of_node(109)")).toBe(2);
  });
});

describe("question_of_last_answer_before", () => {
  it("is the question of the newest answer with text, with its node's current key", async () => {
    const last = (before = "null") =>
      rows(`select question, question_key from question_of_last_answer_before(1, ${before})`);
    expect(await last()).toEqual([]);
    await asked();
    await standOn(101);
    await rows(`update chat_messages set question = ${literal(question)} where role = 'assistant'`);
    expect(await last()).toEqual([{ question, question_key: key }]);
    await told("", { asks: null });
    expect(await last()).toEqual([{ question, question_key: key }]);
    await told("Words.", { asks: null });
    expect(await last()).toEqual([{ question: null, question_key: null }]);
    expect(await last("(select min(id) from chat_messages where role = 'assistant')")).toEqual([]);
  });
});

describe("resolve_tutor_move", () => {
  const take = (
    node: number | null,
    move: string,
    { said = "null", offered = "null", message = move } = {},
  ) =>
    rows(`select * from resolve_tutor_move(1, ${node}, '${move}', '${message}', null, ${said}, ${offered})`);

  it("is offered by the question on the path under that name, and a fourth hint becomes an example", async () => {
    await asked("@hint", "@hint", "@hint");
    expect(await take(101, "@hint")).toMatchObject([{ message: "@hint", move: "@hint", parent_id: 101 }]);
    expect(await take(104, "@hint")).toMatchObject([
      { message: "@example", move: "@example", parent_id: 104 },
    ]);
    expect(await take(101, "@other")).toMatchObject([{ refusal: "no such move", message: null }]);
    const option = '{"answer":"A","questionId":"q1"}';
    expect(await take(101, "@a", { message: option })).toMatchObject([{ message: option, move: null }]);
  });

  it("follows the newest answer in private, which the service must first provide", async () => {
    expect(await take(null, "@hint")).toMatchObject([{ refusal: null, questions: [], has_key: false }]);
    expect(await take(null, "@hint", { offered: "true" })).toMatchObject([{ refusal: "no such move" }]);
    await told("Asked.");
    expect(await take(null, "@hint")).toMatchObject([{ questions: [question], has_key: true }]);
    expect(await take(null, "@hint", { offered: "true" })).toMatchObject([
      { refusal: null, move: "@hint", message: null, parent_id: null },
    ]);
  });

  it("gives an example after three hints in private, since the last greeting and before the message", async () => {
    const moveAt = async (said = "null") =>
      (await take(null, "@hint", { said, offered: "true" }))[0]?.["move"];
    await told("Another.", { move: "@hint", asks: { ...question, questionId: "q2" } });
    await told("Example.", { move: "@example" });
    for (const words of ["One.", "Two.", "Three."]) {
      expect(await moveAt()).toBe("@hint");
      await told(words, { move: "@hint" });
    }
    expect(await moveAt()).toBe("@example");
    expect(await moveAt("(select id from chat_messages where content = 'Three.')")).toBe("@hint");
    await rows("insert into chat_messages (session_id, role, content) values (1, 'user', 'Start.')");
    expect(await moveAt()).toBe("@hint");
  });

  it("answers one that was stored before in any case", async () => {
    await asked();
    expect(await take(101, "@other", { said: "1", offered: "true" })).toMatchObject([
      { refusal: null, move: "@other", message: null },
    ]);
  });
});

describe("open_turn", () => {
  it("stores a move, and answers it from the tree with the question that it carries", async () => {
    await asked("@hint");
    await standOn(101);
    expect(await open(hint)).toMatchObject({
      kind: "stored",
      meta: { move: "@hint" },
      carried: question,
      has_key: true,
      made: "@hint",
    });
    expect(await value("select cache_node_id from chat_sessions where id = 1")).toBe(102);
  });

  it("does nothing for one that is not offered", async () => {
    await storeNode({ id: 101 });
    await standOn(101);
    const count = "select count(*)::int from chat_messages";
    const before = await value(count);
    expect(await open(hint)).toMatchObject({ kind: "refused", why: "no such move" });
    expect(await value(count)).toBe(before);
    expect(await column("select verb from activity_events")).toEqual([]);
  });
});
