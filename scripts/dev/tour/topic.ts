import type { Browser } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";

/** A new topic with a quiz and a lab, in an offering open to everybody. */
export type Topic = {
  universityId: number;
  courseId: number;
  offeringId: number;
  contentItemId: number;
  quizItemId: number;
  labId: number;
  title: string;
};

type Row = { id: number; university_id: number; name: string };

const options = ["even", "odd"].map((text) => ({ id: text, text: `the ${text} ones` }));

/** The quiz's questions, one of each kind. */
export const questions = [
  {
    kind: "SINGLE_CHOICE",
    question_text: "Which harmonics make a square?",
    options,
    answer: { option_id: "odd" },
  },
  {
    kind: "NUMERIC",
    question_text: "How strong is the third, to the first?",
    answer: { value: 0.333, tolerance: 0.001 },
  },
  { kind: "SHORT_ANSWER", question_text: "Whose series is it?", answer: { texts: ["Fourier"] } },
];

/**
 * The instructor publishes a course with one topic, a quiz and a lab, so the tour begins with an empty tree.
 */
export async function publishTopic(instructor: Browser): Promise<Topic> {
  const create = async (path: string, body: object): Promise<Row> => {
    const made = await instructor.send("POST", path, body);
    expect(made.status === 201, `POST ${path} answered ${made.status}: ${JSON.stringify(made.body)}`);
    return made.body as Row;
  };
  const listed = await instructor.send("GET", "/courses/?limit=1");
  const [example] = listed.body as Row[];
  expect(example, "there is no course yet. Seed the database first (npm run dev does)");
  const types = (await instructor.send("GET", "/content-types/")).body as Row[];
  const typeId = (name: string) => types.find((type) => type.name === name)?.id;

  const code = `TOUR-${Date.now().toString(36).toUpperCase()}`;
  const course = await create("/courses/", {
    title: "A tour of signals",
    code,
    university_id: example.university_id,
    is_published: true,
  });
  const offering = await create(`/courses/${course.id}/offerings`, {
    term_name: "Tour",
    visibility: "PUBLIC",
  });
  const module = await create("/modules/", {
    course_id: course.id,
    title: "First steps",
    module_type: "UNIT",
    is_published: true,
  });
  const title = "Why a sum of sines can be a square";
  const item = await create("/content/", {
    course_id: course.id,
    module_id: module.id,
    content_type_id: typeId("text"),
    title,
    data_json: { blocks: [{ type: "paragraph", text: "Add odd harmonics, and the edges grow steeper." }] },
  });
  const pool = await create("/assessments/question-pools", {
    university_id: example.university_id,
    course_id: course.id,
    title: "Square waves",
  });
  const imported = await instructor.send("POST", `/assessments/question-pools/${pool.id}/import`, {
    questions,
  });
  expect(imported.status === 200, `importing questions answered ${imported.status}`);
  const quiz = await create("/content/", {
    course_id: course.id,
    module_id: module.id,
    content_type_id: types.find((type) => type.name === "quiz")?.id,
    title: "Check: square waves",
    data_json: { question_pool_id: pool.id, passing_percent: 60, mastery: { max_attempts: 2 } },
  });
  const lab = await create("/content/", {
    course_id: course.id,
    module_id: module.id,
    content_type_id: typeId("engineering_lab"),
    title: "Build a square wave",
    data_json: { runtime: "python-data-science", grading: { type: "tests", max_points: 20 } },
  });
  return {
    universityId: example.university_id,
    courseId: course.id,
    offeringId: offering.id,
    contentItemId: item.id,
    quizItemId: quiz.id,
    labId: lab.id,
    title,
  };
}
