import { courseOfferingInstructors } from "../../schema/db/courses/offerings.ts";
import { userUniversityRoles } from "../../schema/db/identity/roles.ts";
import type { Role } from "../../schema/enums.ts";
import { makersOf } from "./makers.ts";
import type { World } from "./world.ts";

/** Staff roles below department_admin and above. Each could do everything here if not enrolled. */
export const ranks = {
  ta: { role: "ta" },
  instructor: { role: "instructor" },
  "ta of the department": { role: "ta", isOfDepartment: true },
  "instructor of the department": { role: "instructor", isOfDepartment: true },
  "ta of a department who teaches the offering": { role: "ta", isOfDepartment: true, teaches: true },
  department_admin: { role: "department_admin", isOfDepartment: true },
  university_admin: { role: "university_admin" },
  platform_admin: { role: "platform_admin" },
} as const satisfies Record<string, { role: Role; isOfDepartment?: boolean; teaches?: boolean }>;

export type Rank = keyof typeof ranks;

export const rankNames = Object.keys(ranks) as Rank[];

/** Department administrators and above keep their rights in courses in which they are enrolled. */
export const bound = rankNames.filter((rank) => !/admin/.test(rank));

/**
 * A department's course with a quiz and a lab, an offering whose learner has taken both, and a second
 * offering.
 */
export async function openCourseWithStaff(world: World) {
  const make = makersOf(world);
  const university = await make.university();
  const department = await make.department(university.id);
  const course = await make.course(university.id, { department_id: department.id });
  const [offering, other] = [await make.offering(course), await make.offering(course)];
  const module = await make.module(course.id);
  const { pool, questions } = await make.questionPool(course);
  const quiz = await make.contentItem(module, university.id, {
    type: "quiz",
    data_json: {
      question_pool_id: pool.id,
      show_answers: "never",
      hints: [{ text: "Look up", answer: "B" }],
    },
  });
  const lab = await make.contentItem(module, university.id, {
    type: "engineering_lab",
    data_json: {
      grading: { max_points: 20 },
      files: [{ path: "t.py", role: "hidden_test", content: "assert 42" }],
    },
  });
  const reading = await make.contentItem(module, university.id, { data_json: { title: "Read on" } });
  const learner = await make.holder("student", university.id);
  await make.enrollment(learner.id, offering.id);
  const colleague = await make.holder("instructor", university.id);

  const holder = async (rank: Rank) => {
    const { role, isOfDepartment, teaches } = { isOfDepartment: false, teaches: false, ...ranks[rank] };
    const someone = await make.person();
    const spelled = role.toUpperCase() as Uppercase<typeof role>;
    await world.deps.db.insert(userUniversityRoles).values({
      ...{ user_id: someone.id, university_id: university.id, role: spelled },
      department_id: isOfDepartment ? department.id : null,
    });
    if (teaches)
      await world.deps.db
        .insert(courseOfferingInstructors)
        .values({ course_offering_id: offering.id, user_id: someone.id });
    return someone;
  };

  const here = `/assessments/offerings/${offering.id}`;
  const take = async (person: { id: number }, at = here) => {
    const attempt = (await world.as(person).post(`${at}/quizzes/${quiz.id}/attempts`)).body.id as number;
    await world.as(person).post(`/assessments/attempts/${attempt}/submit`, { responses: [] });
    const work = await world.as(person).post(`${at}/assignments/${lab.id}/submissions`, { body: "Mine" });
    return { attempt, submission: work.body.id as number };
  };
  return {
    ...{ make, university, department, course, offering, other, module, pool, questions, quiz, lab, reading },
    ...{ learner, colleague, here, holder, take },
    there: `/assessments/offerings/${other.id}`,
  };
}
