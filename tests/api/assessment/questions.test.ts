import { describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

const options = ["A", "B"].map((id) => ({ id, text: `Choice ${id}` }));
const choice = { kind: "SINGLE_CHOICE", question_text: "Which?", options, answer: { option_id: "A" } };

async function openPool() {
  const university = await make.university();
  const course = await make.course(university.id);
  const teacher = world.as(await make.holder("instructor", university.id));
  const assistant = world.as(await make.holder("ta", university.id));
  const about = { university_id: university.id, course_id: course.id, title: "Motion" };
  const pool = (await teacher.post("/assessments/question-pools", about)).body;
  const path = `/assessments/question-pools/${pool.id}`;
  const add = (question: object = choice) => teacher.post(`${path}/questions`, question);
  return { university, course, teacher, assistant, pool, path, add };
}

describe("a question pool", () => {
  it("belongs to a university, perhaps to a course of it", async () => {
    const { university, course, teacher, pool } = await openPool();
    expect(pool).toMatchObject({ university_id: university.id, course_id: course.id, description: null });
    const create = (body: object) => teacher.post("/assessments/question-pools", { title: "Pool", ...body });
    expect((await create({ university_id: university.id })).body).toMatchObject({ course_id: null });
    const foreign = await make.topic();
    const ofOther = await create({ university_id: university.id, course_id: foreign.course.id });
    expect(ofOther.body.detail).toBe(
      `Question pool course_id '${foreign.course.id}' does not exist in this university`,
    );
    expect((await create({ university_id: foreign.university.id })).status).toBe(403);
  });

  it("is its staff's: assistants read it, those of another department or a learner find nothing", async () => {
    const { university, path, assistant, pool } = await openPool();
    expect((await assistant.get(path)).body).toEqual(pool);
    expect((await assistant.put(path, { title: "Mine" })).status).toBe(403);
    const listed = await assistant.get(`/assessments/question-pools?course_id=${pool.course_id}`);
    expect(listed.body).toEqual([pool]);
    const department = await make.department(university.id);
    const outside = world.as(await make.holder("instructor", university.id, department.id));
    const learner = world.as(await make.holder("student", university.id));
    for (const person of [outside, learner]) {
      expect((await person.get(path)).status).toBe(404);
      expect((await person.get("/assessments/question-pools")).body).toEqual([]);
    }
  });

  it("is deleted with its questions, but not while a quiz names it or when an attempt drew from it", async () => {
    const { teacher, path, add } = await openPool();
    const { id } = (await add()).body;
    expect((await teacher.delete(path)).status).toBe(204);
    expect((await teacher.get(`/assessments/questions/${id}`)).status).toBe(404);
    const quiz = await openQuiz(world);
    const staff = world.as(quiz.teacher);
    const used = `/assessments/question-pools/${quiz.pool.id}`;
    const inUse = "Question pool is in use by a quiz or by attempts";
    expect((await staff.delete(used)).body.detail).toBe(inUse);
    await quiz.start();
    await staff.put(`/content/${quiz.item.id}`, { data_json: {} });
    expect((await staff.delete(used)).body.detail).toBe(inUse);
    expect((await world.as(quiz.assistant).delete(used)).status).toBe(403);
  });
});

describe("a question", () => {
  it("is whole, or refused with the field that is not", async () => {
    const { add } = await openPool();
    const faulty: [object, string[]][] = [
      [{ options: [] }, ["options"]],
      [{ options: [options[0], options[0]] }, ["options"]],
      [{ answer: { option_id: "C" } }, ["answer"]],
      [{ kind: "MULTIPLE_CHOICE", answer: { option_ids: ["A", "C"] } }, ["answer"]],
      [{ kind: "MULTIPLE_CHOICE", answer: { option_ids: [] } }, ["answer"]],
      [{ kind: "TRUE_FALSE", answer: { value: true } }, ["options"]],
      [{ kind: "TRUE_FALSE", options: null, answer: { value: 1 } }, ["answer"]],
      [{ kind: "NUMERIC", options: null, answer: { value: true } }, ["answer"]],
      [{ kind: "NUMERIC", options: null, answer: { value: 1, tolerance: -1 } }, ["answer", "tolerance"]],
      [{ kind: "SHORT_ANSWER", options: null, answer: { texts: [] } }, ["answer"]],
      [{ points: 0 }, ["points"]],
      [
        { options: Array.from({ length: 20 }, (_, at) => ({ id: `${at}`, text: "é".repeat(1000) })) },
        ["answer"],
      ],
    ];
    for (const [change, path] of faulty) {
      const refused = await add({ ...choice, ...change });
      expect([refused.status, refused.body.detail?.[0]?.loc], JSON.stringify(change)).toEqual([
        422,
        ["body", ...path],
      ]);
    }
  });

  it("stores only the answer keys of its kind", async () => {
    const { add } = await openPool();
    const added = await add({ ...choice, answer: { option_id: "A", value: 5, texts: ["x"] } });
    expect(added.body).toMatchObject({ version: 1, answer: { option_id: "A" }, points: 1, is_active: true });
    const numeric = { kind: "numeric", question_text: "How many?", answer: { value: -1.5, tolerance: 0.5 } };
    expect((await add(numeric)).body).toMatchObject({
      kind: "NUMERIC",
      options: null,
      answer: numeric.answer,
    });
  });

  it("gets a new version with each change of its text, options or key, and with no other", async () => {
    const { teacher, assistant, add } = await openPool();
    const { id } = (await add()).body;
    const path = `/assessments/questions/${id}`;
    expect((await teacher.put(path, {})).body.version).toBe(1);
    expect((await teacher.put(path, { is_active: false })).body).toMatchObject({
      version: 1,
      is_active: false,
    });
    expect((await teacher.put(path, { answer: { option_id: "B" } })).body).toMatchObject({
      version: 2,
      question_text: "Which?",
      answer: { option_id: "B" },
    });
    expect((await teacher.put(path, { answer: { option_id: "C" } })).status).toBe(422);
    expect((await assistant.put(path, { points: 2 })).status).toBe(403);
    const versions = (await assistant.get(`${path}/versions`)).body;
    expect(versions).toMatchObject([
      { version: 2, answer: { option_id: "B" } },
      { version: 1, answer: { option_id: "A" } },
    ]);
  });

  it("keeps two people's concurrent changes, each in a version", async () => {
    const { teacher, add } = await openPool();
    const path = `/assessments/questions/${(await add()).body.id}`;
    const changes = [{ points: 3 }, { explanation: "Since" }, { question_text: "Who?" }];
    const replies = await Promise.all(changes.map((change) => teacher.put(path, change)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await teacher.get(path)).body).toMatchObject({
      ...{ version: 4, points: 3, explanation: "Since", question_text: "Who?" },
    });
  });

  it("that changes after an attempt does not affect it until a regrade", async () => {
    const { start, submit, read, right, questions, quiz, teacher, assistant, learner } =
      await openQuiz(world);
    const { id } = (await start()).body;
    const submitted = (await submit(id, right)).body;
    const open = (await start()).body;
    const single = `/assessments/questions/${questions[0]?.id}`;
    await world.as(teacher).put(single, { answer: { option_id: "C" }, question_text: "Which one, really?" });
    await world.as(teacher).put(`/assessments/questions/${questions[2]?.id}`, {
      ...{ kind: "NUMERIC", answer: { value: 1 } },
    });
    expect((await read(id)).body).toEqual(submitted);
    expect((await read(open.id)).body).toEqual(open);
    expect((await submit(open.id, right)).body.score_obtained).toBe(5);

    expect((await world.as(learner).post(`${quiz}/regrade`)).status).toBe(403);
    expect((await world.as(assistant).post(`${quiz}/regrade`)).body).toEqual({ graded: 2 });
    const regraded = (await read(id)).body;
    expect(regraded).toMatchObject({ score_obtained: 4, max_score: 5, passed: true });
    expect(regraded.questions[0]).toMatchObject({
      question_text: "One?",
      response: "B",
      result: { is_right: false, answer: { option_id: "C" } },
    });
    expect(regraded.questions[2].result).toMatchObject({ is_right: true, answer: { value: true } });
  });

  it("that was drawn cannot be deleted, and is no longer drawn once inactive", async () => {
    const { start, submit, questions, teacher } = await openQuiz(world);
    const { id } = (await start()).body;
    const path = `/assessments/questions/${questions[1]?.id}`;
    expect((await world.as(teacher).delete(path)).body.detail).toBe(
      "Question is in use by attempts. Make it inactive instead",
    );
    await world.as(teacher).put(path, { is_active: false });
    await submit(id);
    expect((await start()).body.questions).toHaveLength(4);
  });
});

describe("an import", () => {
  it("of an export makes the same pool, and the second one adds nothing", async () => {
    const { teacher, university, add, path } = await openPool();
    await add();
    await add({
      kind: "SHORT_ANSWER",
      question_text: "Who?",
      answer: { texts: ["Ada"] },
      explanation: "First.",
    });
    await add({ kind: "NUMERIC", question_text: "?", answer: { value: 1 }, points: 2.5, is_active: false });
    const exported = (await teacher.get(`${path}/export`)).body;
    expect(exported).toMatchObject({ title: "Motion", total: 3 });
    expect((await teacher.get(`${path}/export?skip=2&limit=5`)).body.questions).toEqual([
      exported.questions[2],
    ]);
    const about = { university_id: university.id, title: "Copy" };
    const copy = (await teacher.post("/assessments/question-pools", about)).body;
    const imported = (dry_run: boolean) =>
      teacher.post(`/assessments/question-pools/${copy.id}/import`, {
        questions: exported.questions,
        dry_run,
      });
    expect((await imported(true)).body).toMatchObject({ dry_run: true, created: 3, skipped: 0 });
    const exportOfCopy = async () =>
      (await teacher.get(`/assessments/question-pools/${copy.id}/export`)).body.questions;
    expect(await exportOfCopy()).toEqual([]);
    expect((await imported(false)).body).toMatchObject({ created: 3, skipped: 0 });
    expect(await exportOfCopy()).toEqual(exported.questions);
    expect((await imported(false)).body).toMatchObject({ created: 0, skipped: 3 });
    expect(await exportOfCopy()).toHaveLength(3);
  });

  it("is either a list or a file", async () => {
    const { teacher, path } = await openPool();
    for (const [body, field] of [
      [{}, "questions"],
      [{ questions: [choice], file_id: 1 }, "file_id"],
    ] as const) {
      const reply = await teacher.post(`${path}/import`, body);
      expect([reply.status, reply.body.detail]).toMatchObject([422, [{ loc: ["body", field] }]]);
    }
  });

  it("adds all or nothing, and duplicates once, also by concurrent imports", async () => {
    const { teacher, assistant, path } = await openPool();
    const faulty = await teacher.post(`${path}/import`, { questions: [choice, { ...choice, options: [] }] });
    expect(faulty.body.detail[0].loc).toEqual(["body", "questions", 1, "options"]);
    const twice = { questions: [choice, { ...choice, question_text: "Other?" }, choice] };
    const replies = await Promise.all([1, 2, 3].map(() => teacher.post(`${path}/import`, twice)));
    const created = replies.map(({ body }) => body.created).sort();
    expect(created).toEqual([0, 0, 2]);
    for (const { body } of replies)
      expect(body.results[2]).toEqual({ ...body.results[0], outcome: "skipped" });
    expect((await teacher.get(`${path}/questions`)).body).toHaveLength(2);
    expect((await assistant.post(`${path}/import`, twice)).status).toBe(403);
  });
});

describe("statistics", () => {
  it("are facility, discrimination and choices, checked against manual counts", async () => {
    const { start, submit, quiz, pool, teacher, offering, questions, assistant } = await openQuiz(world);
    const [single, multiple, truth, numeric, short] = questions.map(({ id }) => id);
    const answers: [unknown, unknown, unknown, unknown, unknown][] = [
      ["B", ["A", "C"], true, 9.8, "Newton"],
      ["B", ["A"], true, 9.8, null],
      ["A", ["A", "C"], false, null, null],
      ["C", ["B"], false, 5, "Ada"],
    ];
    for (const given of answers) {
      const learner = await make.person();
      await make.enrollment(learner.id, offering.id);
      const responses = [single, multiple, truth, numeric, short].map((question_id, at) => ({
        ...{ question_id, response: given[at] },
      }));
      await submit((await start(learner)).body.id, responses, learner);
    }
    await start();
    const path = `/assessments/question-pools/${pool.id}/statistics`;
    const statistics = (await world.as(assistant).get(path)).body;
    // Correct are 5, 3, 1 and 0 of the five: first question 1 1 0 0, the other four 4 2 1 0. The deviations
    // are ½ ½ -½ -½ and 2¼ ¼ -¾ -1¾: 2.5 / √(1 · 8.75) = 0.845154.
    expect(statistics[0]).toEqual({
      ...{ question_id: single, version: 1, kind: "SINGLE_CHOICE", question_text: "One?" },
      ...{ drawn: 4, unanswered: 0, facility: 0.5, discrimination: 0.845154 },
      choices: [
        { choice: "A", chosen: 1 },
        { choice: "B", chosen: 2 },
        { choice: "C", chosen: 1 },
      ],
    });
    // 1 0 1 0 with 4 3 0 0: 0.5 · (2¼ - 1¼ - 1¾ + 1¾) / √(1 · 12.75) = 0.140028.
    expect(statistics[1]).toMatchObject({
      ...{ facility: 0.5, discrimination: 0.140028 },
      choices: [
        { choice: "A", chosen: 3 },
        { choice: "B", chosen: 1 },
        { choice: "C", chosen: 2 },
      ],
    });
    expect(statistics[2].choices).toEqual([
      { choice: "true", chosen: 2 },
      { choice: "false", chosen: 2 },
    ]);
    expect(statistics[3]).toMatchObject({ unanswered: 1, choices: [] });
    // 1 0 0 0 with 4 3 1 0: 2 / √(0.75 · 10) = 0.730297.
    expect(statistics[4]).toMatchObject({ facility: 0.25, discrimination: 0.730297, unanswered: 2 });
    expect((await world.as(assistant).get(`${path}?skip=5`)).body).toEqual([]);

    await world.as(teacher).put(`/assessments/questions/${single}`, { answer: { option_id: "A" } });
    await world.as(teacher).post(`${quiz}/regrade`);
    const regraded = (await world.as(assistant).get(path)).body;
    expect(regraded[0]).toMatchObject({ version: 1, drawn: 4, facility: 0.25 });
  });

  it("are null if all takers earned the same", async () => {
    const { start, submit, pool, right, teacher } = await openQuiz(world);
    for (let time = 0; time < 2; time += 1) await submit((await start()).body.id, right.slice(0, time + 1));
    const { body } = await world.as(teacher).get(`/assessments/question-pools/${pool.id}/statistics`);
    expect(body[0]).toMatchObject({ facility: 1, discrimination: null });
  });
});
