import { beforeEach, describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { addressOf, bodyOf, operations } from "../../support/operations.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

const at = (moment: string) => world.setNow(`2026-03-10T${moment}Z`);

beforeEach(() => at("12:00:00"));

const underWay = { detail: "An exam is under way" };

describe("while an exam is open", () => {
  it("the tutor of its course answers its taker nothing, whichever way they ask, and stores nothing", async () => {
    const { start, submit, learner, item, module, university, offering } = await openQuiz(world, {
      quiz_mode: "exam",
    });
    const topic = await make.contentItem(module, university.id);
    const sessionOf = async (person: { id: number }, content_item_id: number) =>
      `/chat/sessions/${(await world.as(person).post("/chat/sessions", { content_item_id })).body.id}`;
    const sessions = [await sessionOf(learner, topic.id), await sessionOf(learner, item.id)];
    const said = await world.as(learner).post(`${sessions[0]}/messages`, { content: "Start." });
    expect(said.status).toBe(200);
    const { id } = (await start()).body;

    for (const session of sessions)
      for (const [path, body] of [
        ["greeting", undefined],
        ["messages", { content: "Start." }],
        ["messages", { content: "What is the right answer to the third question?" }],
      ] as const) {
        const reply = await world.as(learner).post(`${session}/${path}`, body);
        expect([reply.status, reply.body]).toEqual([403, underWay]);
      }
    expect((await world.as(learner).get(`${sessions[0]}/messages`)).body.messages).toHaveLength(2);

    const other = await make.person();
    await make.enrollment(other.id, offering.id);
    const theirs = await world
      .as(other)
      .post(`${await sessionOf(other, topic.id)}/messages`, { content: "Start." });
    expect(theirs.status).toBe(200);
    const elsewhere = await sessionOf(learner, (await make.topic()).item.id);
    expect((await world.as(learner).post(`${elsewhere}/messages`, { content: "Start." })).status).toBe(200);

    await submit(id);
    expect((await world.as(learner).post(`${sessions[0]}/messages`, { content: "Why?" })).status).toBe(200);
  });

  it("no tutor of its university answers its taker if its scope says so, whatever a course allows", async () => {
    const { start, submit, learner, university } = await openQuiz(world, {
      quiz_mode: "exam",
      tutor_scope: "university",
    });
    const beside = await make.contentItem(
      await make.module((await make.course(university.id)).id),
      university.id,
    );
    const far = (await make.topic()).item;
    const ask = async (person: { id: number }, content_item_id: number) => {
      const { id } = (await world.as(person).post("/chat/sessions", { content_item_id })).body;
      return (await world.as(person).post(`/chat/sessions/${id}/messages`, { content: "Start." })).status;
    };
    expect(await ask(learner, beside.id)).toBe(200);
    const { id } = (await start()).body;
    expect(await ask(learner, beside.id)).toBe(403);
    expect(await ask(learner, far.id)).toBe(200);
    expect(await ask(await make.person(), beside.id)).toBe(200);
    await submit(id);
    expect(await ask(learner, beside.id)).toBe(200);
  });

  it("and a practice leaves the tutor alone", async () => {
    const { start, learner, item } = await openQuiz(world, { quiz_mode: "practice" });
    await start();
    const session = (await world.as(learner).post("/chat/sessions", { content_item_id: item.id })).body.id;
    const reply = await world.as(learner).post(`/chat/sessions/${session}/messages`, { content: "Start." });
    expect(reply.status).toBe(200);
  });

  it("the tutor answers again once its time is up, closed or not", async () => {
    const { start, learner, item } = await openQuiz(world, { quiz_mode: "exam", time_limit_seconds: 60 });
    await start();
    const session = (await world.as(learner).post("/chat/sessions", { content_item_id: item.id })).body.id;
    const ask = () => world.as(learner).post(`/chat/sessions/${session}/messages`, { content: "Start." });
    at("12:01:05");
    expect((await ask()).body).toEqual(underWay);
    at("12:01:05.001");
    expect((await ask()).status).toBe(200);
  });
});

describe("right answers", () => {
  const keys = [
    {
      kind: "SHORT_ANSWER" as const,
      question_text: "Who said it?",
      answer_json: { texts: ["Secret-Key-Text"] },
      explanation: "Secret-Explanation",
    },
    {
      kind: "NUMERIC" as const,
      question_text: "How many?",
      answer_json: { value: 8675309, tolerance: 31337 },
    },
    {
      kind: "SINGLE_CHOICE" as const,
      question_text: "Which?",
      options_json: ["A", "B"].map((id) => ({ id, text: `Choice ${id}` })),
      answer_json: { option_id: "A" },
    },
  ];
  const secret = /Secret-|\b8675309\b|\b31337\b|"option_id"/;

  it("are in no operation's response to the taker of an exam, nor after a submission before its due date", async () => {
    const exam = await openQuiz(world, { quiz_mode: "exam", due_at: "2026-03-10T13:00:00Z" });
    const { pool, questions } = await make.questionPool(exam.course, keys);
    await world
      .as(exam.teacher)
      .put(`/content/${exam.item.id}`, { data_json: { ...exam.item.data_json, question_pool_id: pool.id } });
    // A practice quiz with the same questions, which would show the answers on submission.
    const practice = await make.contentItem(exam.module, exam.university.id, {
      type: "quiz",
      data_json: { question_pool_id: pool.id },
    });
    const practiceQuiz = exam.quiz.replace(`/quizzes/${exam.item.id}`, `/quizzes/${practice.id}`);
    const practised = (await world.as(exam.learner).post(`${practiceQuiz}/attempts`)).body.id;
    expect((await exam.submit(practised)).text).not.toMatch(secret);

    const session = await world.as(exam.learner).post("/chat/sessions", { content_item_id: exam.item.id });
    const attempt = (await exam.start()).body;
    const values = {
      ...{ course_id: exam.course.id, offering_id: exam.offering.id, course_offering_id: exam.offering.id },
      ...{ module_id: exam.module.id, content_id: exam.item.id, content_item_id: exam.item.id },
      ...{ question_pool_id: pool.id, question_id: questions[0]?.id, attempt_id: attempt.id },
      ...{ user_id: exam.learner.id, university_id: exam.university.id, session_id: session.body.id },
    };
    const asked = operations.filter(
      ({ name, path }) =>
        !/^DELETE|password|logout|\/me\b.*(?<!export)$|submit/.test(name) &&
        [...path.matchAll(/\{(\w+)\}/g)].every(([, parameter = ""]) => parameter in values),
    );
    expect(asked.length).toBeGreaterThan(60);
    const told: string[] = [];
    for (const operation of asked) {
      const body = bodyOf(operation, values);
      const reply = await world
        .as(exam.learner)
        .request(operation.method, addressOf(operation, values), body);
      if (secret.test(reply.text)) told.push(`${operation.name}: ${reply.text.match(secret)}`);
    }
    for (const id of [attempt.id, practised])
      if (secret.test((await exam.read(id)).text)) told.push(`the attempt ${id}`);
    const submitted = await exam.submit(attempt.id, []);
    expect(submitted.body).toMatchObject({ score_obtained: 0, answers_shown: false });
    if (secret.test(submitted.text + (await exam.read(attempt.id)).text)) told.push("the submission");
    expect(told).toEqual([]);

    expect((await exam.read(practised)).text).toMatch(secret);
    at("13:00:05");
    expect((await exam.read(attempt.id)).text).not.toMatch(secret);
    at("13:00:05.001");
    expect((await exam.read(attempt.id)).text).toMatch(secret);
  });

  it("of an exam are hidden until everyone with a later date has finished", async () => {
    const { start, submit, read, quiz, assistant, offering } = await openQuiz(world, {
      quiz_mode: "exam",
      due_at: "2026-03-10T13:00:00Z",
    });
    const late = await make.person();
    await make.enrollment(late.id, offering.id);
    await world.as(assistant).put(`${quiz}/overrides/${late.id}`, { due_at: "2026-03-10T14:00:00Z" });
    const { id } = (await start()).body;
    await submit(id);
    at("13:30:00");
    expect((await read(id)).body.answers_shown).toBe(false);
    expect((await read(id, assistant)).body.answers_shown).toBe(true);
    at("14:00:06");
    expect((await read(id)).body.answers_shown).toBe(true);
  });

  it.each(["quiz", "offering"] as const)(
    "are shown although a learner left an attempt open that began before its %s had an end",
    async (bounded) => {
      const { start, submit, read, teacher, course, offering, item } = await openQuiz(world, {
        quiz_mode: "exam",
      });
      const other = await make.person();
      await make.enrollment(other.id, offering.id);
      const { id } = (await start()).body;
      expect((await start(other)).body.due_at).toBeNull();
      await submit(id);
      const end = "2026-03-10T13:00:00.000Z";
      const write = world.as(teacher);
      if (bounded === "quiz") await write.put(`/content/${item.id}`, { due_at: end });
      else await write.put(`/courses/${course.id}/offerings/${offering.id}`, { ends_at: end });
      expect((await start(other)).body.due_at).toBe(end);
      at("13:00:05.001");
      expect((await read(id)).body.answers_shown).toBe(true);
    },
  );

  it("are shown when the quiz says so: when the offering ends if it has no date, or never", async () => {
    const ends = await openQuiz(world, { quiz_mode: "exam" }, { ends_at: "2026-03-10T13:00:00Z" });
    const never = await openQuiz(world, { show_answers: "never" });
    const undated = await openQuiz(world, { quiz_mode: "exam" });
    const shown = async (quiz: typeof ends) => {
      at("12:00:00");
      const { id } = (await quiz.start()).body;
      await quiz.submit(id);
      at("15:00:00");
      return (await quiz.read(id)).body.answers_shown;
    };
    expect([await shown(ends), await shown(never), await shown(undated)]).toEqual([true, false, false]);
  });
});
