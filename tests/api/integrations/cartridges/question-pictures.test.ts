import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { processCartridgeImports } from "../../../../lib/integrations/cartridges/work.ts";
import {
  choices,
  equal,
  item,
  manifestOf,
  qtiItem,
  quizOf,
  resource,
  zipOf,
} from "../../../support/cartridges.ts";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { png, sendFile } from "../../../support/send-file.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const never = new AbortController().signal;

const html = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const question = (text: string, options: Record<string, string>) =>
  qtiItem("multiple_choice_question", html(text), choices("Single", options), equal("a"));

async function author() {
  const university = await make.university();
  const course = await make.course(university.id);
  const teacher = world.as(await make.holder("instructor", university.id));
  const importQuiz = async (quiz: string | Uint8Array, files: Record<string, Uint8Array> = {}) => {
    const manifest = manifestOf(
      item("i1", "Quiz", "quiz"),
      resource("quiz", "imsqti_xmlv1p2/imscc_xmlv1p1/assessment", ["quiz/quiz.xml"]),
    );
    const { body: file } = await sendFile(
      world.deps,
      teacher,
      { purpose: "IMPORT", course_id: course.id, name: "course.imscc", media_type: "application/zip" },
      zipOf({ "imsmanifest.xml": manifest, "quiz/quiz.xml": quiz, ...files }),
    );
    const { body } = await teacher.post("/cartridges/imports", { course_id: course.id, file_id: file.id });
    await processCartridgeImports(world.deps, never);
    const parts = (await teacher.get(`/cartridges/imports/${body.id}/parts`)).body;
    return parts.find(({ kind }: { kind: string }) => kind === "QUIZ");
  };
  const questions = async () => {
    const { rows } = await world.deps.db.execute(sql`
      select questions.id, question_pool_id as pool, question_text, options_json as options from questions
      join question_pools on question_pools.id = question_pool_id
      where question_pools.course_id = ${course.id} order by 1`);
    return rows as { id: number; pool: number; question_text: string; options: { text: string }[] }[];
  };
  return { university, course, teacher, importQuiz, questions };
}

const fileIn = (text: string): number => Number(/\]\(file:(\d+)\)/.exec(text)?.[1]);

const mayRead = async (client: Client, id: number): Promise<boolean> => {
  const { body } = await client.post("/files/addresses", { ids: [id], inline: true });
  return body.some((one: { id: number }) => one.id === id);
};

describe("pictures of questions in a cartridge", () => {
  it("are stored with the question, and read by learners who drew it and by its staff", async () => {
    const { university, course, teacher, importQuiz, questions } = await author();
    const picture = '<img src="$IMS-CC-FILEBASE$/wave%20one.png" alt="A [wave]">';
    const part = await importQuiz(
      quizOf(question(`<p>What is this? ${picture}</p>`, { a: "A wave", b: "A ray" })),
      {
        "web_resources/wave one.png": png,
      },
    );
    expect(part).toMatchObject({ outcome: "CREATED", left_out: [], read_as: "utf-8" });
    const [stored] = await questions();
    expect(stored?.question_text).toMatch(/^What is this\?\n\n!\[A \\\[wave\\\]\]\(file:\d+\)$/);
    const file = fileIn(stored?.question_text ?? "");

    const offering = await make.offering(course);
    const [learner, other] = [await make.person(), await make.person()];
    for (const { id } of [learner, other]) await make.enrollment(id, offering.id);
    await world.deps.db.execute(sql`update modules set is_published = true where course_id = ${course.id}`);
    const [quiz] = part.content_item_ids;
    expect(await mayRead(world.as(learner), file)).toBe(false);
    const started = await world
      .as(learner)
      .post(`/assessments/offerings/${offering.id}/quizzes/${quiz}/attempts`);
    expect(started.body.questions[0].question_text).toBe(stored?.question_text);
    expect(await mayRead(world.as(learner), file)).toBe(true);
    expect(await mayRead(world.as(other), file)).toBe(false);
    expect(await mayRead(teacher, file)).toBe(true);
    const stranger = await make.university();
    expect(await mayRead(world.as(await make.holder("university_admin", stranger.id)), file)).toBe(false);

    // The learner's version keeps its picture.
    await teacher.put(`/assessments/questions/${stored?.id}`, {
      question_text: "What is this, in words?",
    });
    expect(await mayRead(world.as(learner), file)).toBe(true);
    expect(university.id).not.toBe(stranger.id);
  });

  it("survive a round trip through our export", async () => {
    const { university, course, teacher, importQuiz, questions } = await author();
    const marked = quizOf(
      question('Which? <img src="a%20(1).png" alt="One">', {
        a: '&lt;img src="a (1).png"&gt;',
        b: "x<sup>2</sup>",
      }),
    );
    await importQuiz(marked, { "quiz/a (1).png": png });
    const [first] = await questions();
    const headers = { authorization: `Bearer ${await teacher.token}`, accept: "application/octet-stream" };
    const exported = await world.app.request(`/api/v1/cartridges/courses/${course.id}`, { headers });
    expect(exported.status).toBe(200);
    const copy = await make.course(university.id);
    const { body: file } = await sendFile(
      world.deps,
      teacher,
      { purpose: "IMPORT", course_id: copy.id, name: "course.imscc", media_type: "application/zip" },
      new Uint8Array(await exported.arrayBuffer()),
    );
    const { body } = await teacher.post("/cartridges/imports", { course_id: copy.id, file_id: file.id });
    await processCartridgeImports(world.deps, never);
    const parts = (await teacher.get(`/cartridges/imports/${body.id}/parts`)).body;
    expect(parts.find(({ kind }: { kind: string }) => kind === "QUIZ")).toMatchObject({
      outcome: "CREATED",
      left_out: [],
    });
    const { rows } = await world.deps.db.execute(sql`
      select question_text, options_json as options from questions
      join question_pools on question_pools.id = question_pool_id where course_id = ${copy.id}`);
    const withoutIds = (one: unknown) => JSON.stringify(one).replaceAll(/file:\d+/g, "file");
    expect(withoutIds(rows[0])).toBe(
      withoutIds({ question_text: first?.question_text, options: first?.options }),
    );
    expect(await mayRead(teacher, fileIn(String(rows[0]?.["question_text"])))).toBe(true);
  });

  it("that are missing, or no pictures, refuse their questions alone", async () => {
    const { importQuiz, questions } = await author();
    const options = { a: "1", b: "2" };
    const part = await importQuiz(
      quizOf(
        question('<img src="../gone.png" alt="Gone">', options),
        question('<img src="notes.png" alt="Notes">', options),
        question("![x](file:1)", options),
        question("Which?", options),
      ),
      { "quiz/notes.png": Buffer.from("These are only notes.") },
    );
    expect(part).toMatchObject({
      outcome: "PARTLY",
      left_out: ["1: its img would be lost", "2: its img would be lost", "3: its img would be lost"],
    });
    expect(part.left_out_codes).toEqual(Array.from({ length: 3 }, () => "left_out_question_part_lost"));
    expect((await questions()).map(({ question_text }) => question_text)).toEqual(["Which?"]);
  });

  it("in a quiz without any other question refuse the quiz, with the reason", async () => {
    const { importQuiz } = await author();
    expect(await importQuiz(quizOf(question('<img src="gone.png">', { a: "1", b: "2" })))).toMatchObject({
      outcome: "REFUSED",
      code: "cartridge_quiz_without_questions",
      left_out: ["1: its img would be lost"],
    });
  });
});

describe("a quiz in another encoding", () => {
  it("is decoded as declared, or rejected with the line", async () => {
    const { importQuiz, questions } = await author();
    const quiz = quizOf(question("Größte Stadt am Rhein?", { a: "Köln", b: "Bonn" }));
    const declared = (encoding: string) =>
      quiz.replace('version="1.0"', `version="1.0" encoding="${encoding}"`);
    const western = Buffer.from(declared("ISO-8859-1"), "latin1");
    expect(await importQuiz(western)).toMatchObject({ outcome: "CREATED", read_as: "windows-1252" });
    const wide = Buffer.from(declared("UTF-16"), "utf16le");
    expect(await importQuiz(wide)).toMatchObject({ outcome: "CREATED", read_as: "utf-16le" });
    const lying = Buffer.from(declared("UTF-8"), "latin1");
    expect(await importQuiz(lying)).toMatchObject({
      outcome: "REFUSED",
      path: "quiz/quiz.xml",
      code: "text_not_as_declared",
    });
    expect((await questions()).map(({ options }) => options[0]?.text)).toEqual(["Köln", "Köln"]);
  });
});

describe("a picture in a question of the API", () => {
  it("must be usable by the author", async () => {
    const { university, course, teacher } = await author();
    const { pool } = await make.questionPool(course);
    const upload = async (client: Client, course_id: number) =>
      (
        await sendFile(
          world.deps,
          client,
          { purpose: "ASSET", course_id, name: "a.png", media_type: "image/png" },
          png,
        )
      ).body.id as number;
    const own = await upload(teacher, course.id);
    const elsewhere = await author();
    const foreign = await upload(elsewhere.teacher, elsewhere.course.id);
    const path = `/assessments/question-pools/${pool.id}/questions`;
    const asked = (id: number) => ({
      kind: "TRUE_FALSE",
      question_text: `True? ![](file:${id})`,
      answer: { value: true },
    });
    const made = await teacher.post(path, asked(own));
    expect(made.status).toBe(201);
    expect((await teacher.post(path, asked(foreign))).body.detail).toBe(`File ${foreign} does not exist`);
    const changed = await teacher.put(`/assessments/questions/${made.body.id}`, {
      question_text: `![](file:${foreign})`,
    });
    expect(changed.status).toBe(400);
    const imported = await teacher.post(`/assessments/question-pools/${pool.id}/import`, {
      questions: [asked(foreign)],
    });
    expect(imported.status).toBe(400);
    // A colleague may keep it.
    const colleague = world.as(await make.holder("instructor", university.id));
    const kept = { explanation: "Look", question_text: `False? ![](file:${own})` };
    expect((await colleague.put(`/assessments/questions/${made.body.id}`, kept)).status).toBe(200);
  });
});
