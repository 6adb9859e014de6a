import type { Person } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import type { World } from "../../support/world.ts";

type Data = { due_at?: string; [key: string]: unknown };

/** A course with a quiz of five questions, one per kind, its staff, and an enrolled learner. */
export async function openQuiz(world: World, data: Data = {}, offered: { ends_at?: string } = {}) {
  const make = makersOf(world);
  const university = await make.university();
  const course = await make.course(university.id);
  const offering = await make.offering(course, offered);
  const module = await make.module(course.id);
  const { pool, questions } = await make.questionPool(course);
  const { due_at = null, ...rest } = data;
  const data_json = { question_pool_id: pool.id, ...rest };
  const item = await make.contentItem(module, university.id, { type: "quiz", data_json, due_at });
  const learner = await make.person();
  await make.enrollment(learner.id, offering.id);
  const [teacher, assistant] = [
    await make.holder("instructor", university.id),
    await make.holder("ta", university.id),
  ];
  const quiz = `/assessments/offerings/${offering.id}/quizzes/${item.id}`;
  const [single, multiple, truth, numeric, short] = questions.map(({ id }) => id);
  const right = [
    { question_id: single, response: "B" },
    { question_id: multiple, response: ["C", "A"] },
    { question_id: truth, response: true },
    { question_id: numeric, response: 9.7 },
    { question_id: short, response: " isaac  NEWTON " },
  ];
  return {
    ...{
      university,
      course,
      offering,
      module,
      pool,
      questions,
      item,
      learner,
      teacher,
      assistant,
      quiz,
      right,
    },
    /** A new token per request: tokens expire after half an hour, and tests advance the clock. */
    start: (person: Person = learner) => world.as(person).post(`${quiz}/attempts`),
    read: (id: number, person: Person = learner) => world.as(person).get(`/assessments/attempts/${id}`),
    save: (id: number, responses: object[], person: Person = learner) =>
      world.as(person).put(`/assessments/attempts/${id}/responses`, { responses }),
    submit: (id: number, responses: object[] = [], person: Person = learner) =>
      world.as(person).post(`/assessments/attempts/${id}/submit`, { responses }),
  };
}
