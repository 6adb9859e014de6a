import type { Person } from "./client.ts";
import { makersOf } from "./makers.ts";
import type { World } from "./world.ts";

type Data = { due_at?: string; [key: string]: unknown };

/** A course with a lab of 20 points and an assignment of 80, its staff, and an enrolled learner. */
export async function openLab(world: World, data: Data = {}) {
  const make = makersOf(world);
  const university = await make.university();
  const course = await make.course(university.id);
  const offering = await make.offering(course);
  const module = await make.module(course.id);
  const { due_at = null, ...rest } = data;
  const data_json = { grading: { max_points: 20 }, ...rest };
  const lab = await make.contentItem(module, university.id, { type: "engineering_lab", data_json, due_at });
  const paper = await make.contentItem(module, university.id, {
    type: "assignment",
    data_json: { max_points: 80 },
  });
  const learner = await make.person();
  await make.enrollment(learner.id, offering.id);
  const [teacher, assistant, other] = [
    await make.holder("instructor", university.id),
    await make.holder("ta", university.id),
    await make.holder("ta", university.id),
  ];
  const here = `/assessments/offerings/${offering.id}`;
  return {
    ...{ university, course, offering, module, lab, paper, learner, teacher, assistant, other, here },
    /** A new token per request: tokens expire after half an hour, and tests advance the clock. */
    submit: (work: object, person: Person = learner, item = lab) =>
      world.as(person).post(`${here}/assignments/${item.id}/submissions`, work),
    read: (id: number, person = learner) => world.as(person).get(`/assessments/submissions/${id}`),
    claim: (id: number, person = assistant) => world.as(person).put(`/assessments/submissions/${id}/claim`),
    grade: (id: number, score_obtained: number, person = assistant, more = {}) =>
      world.as(person).put(`/assessments/submissions/${id}/grade`, { score_obtained, ...more }),
    giveBack: (id: number, feedback: string) =>
      world.as(assistant).post(`/assessments/submissions/${id}/return`, { feedback }),
    gradebook: (query = "") => world.as(assistant).get(`${here}/gradebook${query}`),
    finalize: (body = {}) => world.as(teacher).post(`${here}/grades/finalize`, body),
    reopen: (reason = "A mistake") => world.as(teacher).post(`${here}/grades/reopen`, { reason }),
    release: (body = {}) => world.as(teacher).post(`${here}/grades/release`, body),
    mine: (person = learner) => world.as(person).get(`${here}/my-grades`),
  };
}
