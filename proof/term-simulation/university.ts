import { type ApiClient, createApiClient, signInForApiClient, simulatedPassword } from "./client.ts";
import {
  addDays,
  dayStartingAtMidnight,
  localMidnightOfDay,
  type SimulatedDay,
  universityTimeZone,
} from "./days.ts";
import type { SimulatedLearner } from "./people.ts";
import type { ServiceUnderTest } from "./service.ts";

export type SimulatedItem = {
  id: number;
  /** An exam is a quiz with one attempt of an hour. */
  kind: "text" | "quiz" | "exam" | "engineering_lab";
  /** True if late work is not accepted. */
  isStrict: boolean;
  module: number;
  opensOn: SimulatedDay;
  /** Work on that day is late. */
  dueOn: SimulatedDay;
  title: string;
  /** True if graders see codes instead of names until release. */
  isAnonymous: boolean;
  /** True for group work, which is graded by a rubric. */
  isForGroups: boolean;
};

/** Learners of a run with other dates for some items. */
/** `left`: members who dropped. Their submissions keep the group's dates, and new ones exclude them. */
export type SimulatedGroup = {
  id: number;
  members: SimulatedLearner[];
  left: SimulatedLearner[];
  dueOn: Map<SimulatedItem, SimulatedDay>;
};

/** Late penalty per day in percent of the item's points, and the number of accepted days. */
export type LateRule = { percentPerDay: number; maxDays: number };

/** Maximum points by kind of item. */
export const maxPointsByItemKind = { text: 0, quiz: 10, exam: 10, engineering_lab: 20 };

/** `items` in tree order. */
export type SimulatedCourse = {
  id: number;
  code: string;
  department: number;
  items: SimulatedItem[];
  isInTurn: boolean;
};

export type CourseRun = {
  id: number;
  course: SimulatedCourse;
  capacity: number | null;
  mode: "OPEN" | "KEY" | "STAFF";
  key: string | null;
  /** The last day of enrollment. */
  enrollmentEnds: SimulatedDay;
  /** The day at whose start the run and its exams end, and that of the term's end. */
  endsOn: SimulatedDay;
  termEndsOn: SimulatedDay;
  /** True if completion requires a passed final grade. */
  isGraded: boolean;
  /** True if learners see grades immediately. */
  isReleased: boolean;
  /** The day on which anonymous grades were released. */
  namedOn?: SimulatedDay;
  /** Days by which the run's due dates are later than the course's. */
  dueLater: number;
  groups: SimulatedGroup[];
  lateRule: LateRule | null;
  /** Number of dropped quizzes per learner. */
  dropLowest: number;
};

/** `second` is a further run of the third course in the same term. */
export type SimulatedUniversity = {
  id: number;
  term: number;
  departments: number[];
  runs: CourseRun[];
  second: CourseRun;
};

export const allRunsOfUniversity = ({ runs, second }: SimulatedUniversity): CourseRun[] => [...runs, second];

export const staffEmails = {
  admin: "admin@term.example",
  teacher: "teacher@term.example",
  assistant: "assistant@term.example",
  /** Grants accommodations. */
  officer: "officer@term.example",
  /** Sets retention. */
  archivist: "archivist@term.example",
};

type Plan = { monday: SimulatedDay; weeks: number; people: number };

/** Registers staff accounts, without roles yet. */
export async function registerStaff(service: ServiceUnderTest): Promise<void> {
  for (const [name, email] of Object.entries(staffEmails))
    await createApiClient(service).post("/auth/register", {
      email,
      password: simulatedPassword,
      full_name: `The ${name}`,
    });
}

/** Creates a university with a term: one course by hand, the others as copies, and a run of each. */
export async function createUniversityWithCourseRuns(
  service: ServiceUnderTest,
  plan: Plan,
): Promise<SimulatedUniversity> {
  const admin = await signInForApiClient(service, staffEmails.admin);
  const country = (await admin.get("/countries/?limit=1"))[0].id;
  const university = (
    await admin.post("/universities/", {
      name: "University of Terms",
      short_code: "TERM",
      country_id: country,
      time_zone: universityTimeZone,
    })
  ).id;
  const at = `/universities/${university}`;
  await admin.post(`${at}/domains`, { domain: "term.example" });
  const teacher = await signInForApiClient(service, staffEmails.teacher);
  const assistant = await signInForApiClient(service, staffEmails.assistant);
  for (const [person, role] of [
    [teacher, "INSTRUCTOR"],
    [assistant, "TA"],
  ] as const)
    await admin.post(`${at}/roles`, { user_id: (await person.get("/users/me")).id, role });
  const departments = [];
  for (const [name, code] of [
    ["Letters", "L"],
    ["Numbers", "N"],
  ] as const)
    departments.push((await admin.post(`${at}/departments`, { name, code })).id as number);
  const term = (
    await admin.post(`${at}/terms`, {
      name: "Autumn",
      starts_on: plan.monday,
      ends_on: addDays(plan.monday, 7 * plan.weeks - 1),
    })
  ).id;

  const first = await buildCourse(teacher, university, departments[0] ?? 0, plan);
  const count = Math.min(12, Math.max(3, Math.round(plan.people / 25)));
  const runs: CourseRun[] = [];
  for (let number = 0; number < count; number += 1) {
    const code = `C${number + 1}`;
    const id =
      number === 0
        ? first
        : (await teacher.post(`/courses/${first}/copy`, { code, title: `Course ${code}` })).id;
    const department = departments[number % 2] ?? 0;
    await teacher.put(`/courses/${id}`, { department_id: department });
    runs.push(
      await openRun(teacher, { id, code, department, items: [], isInTurn: number === 1 }, number, term, plan),
    );
  }
  const third = runs[2];
  if (!third) throw new Error("A term must have at least three courses");
  const second = await openRun(teacher, third.course, 3 * count, term, plan);
  return { id: university, term, departments, runs, second };
}

const questions = [0, 1, 2, 3].map((number) => ({
  kind: "TRUE_FALSE",
  question_text: `Is ${number} even?`,
  answer: { value: number % 2 === 0 },
}));

/** True if the correct answer to a question is "true". */
export const isTrueTheCorrectAnswer = (text: string): boolean => Number(/\d/.exec(text)?.[0]) % 2 === 0;

/** Kinds of items by the title after their week. */
const kinds: Record<string, Pick<SimulatedItem, "kind" | "isStrict">> = {
  reading: { kind: "text", isStrict: false },
  "more to read": { kind: "text", isStrict: false },
  exam: { kind: "exam", isStrict: false },
  quiz: { kind: "quiz", isStrict: false },
  lab: { kind: "engineering_lab", isStrict: false },
  "lab in time": { kind: "engineering_lab", isStrict: true },
};

const calledSecond = (week: number): string =>
  ["more to read", "exam", week % 8 === 6 ? "lab in time" : "lab", "quiz"][week % 4] ?? "more to read";

/** One module per week with two items; in three weeks of four the second is an exam, a lab or a quiz. */
async function buildCourse(
  teacher: ApiClient,
  university: number,
  department: number,
  plan: Plan,
): Promise<number> {
  const course = await teacher.post("/courses/", {
    university_id: university,
    department_id: department,
    title: "Course C1",
    code: "C1",
    is_published: true,
  });
  const pool = await teacher.post("/assessments/question-pools", {
    university_id: university,
    course_id: course.id,
    title: "Even or odd",
  });
  for (const question of questions)
    await teacher.post(`/assessments/question-pools/${pool.id}/questions`, question);
  const types = await teacher.get("/content-types/");
  const typeOf = (name: string): number => types.find((type: { name: string }) => type.name === name).id;
  const quiz = {
    question_pool_id: pool.id,
    num_questions_per_attempt: 4,
    passing_percent: 75,
    mastery: { max_attempts: 2, points: maxPointsByItemKind.quiz },
  };
  const exam = {
    ...quiz,
    quiz_mode: "exam",
    time_limit_seconds: 3600,
    mastery: { points: maxPointsByItemKind.exam },
  };
  const lab = { runtime: "none", grading: { max_points: maxPointsByItemKind.engineering_lab } };
  for (let week = 0; week < plan.weeks; week += 1) {
    const module = await teacher.post("/modules/", {
      course_id: course.id,
      module_type: "UNIT",
      title: `Week ${week + 1}`,
      is_published: true,
      available_from: localMidnightOfDay(addDays(plan.monday, 7 * week)),
      due_at: localMidnightOfDay(addDays(plan.monday, 7 * week + 3)),
    });
    const text = { blocks: [{ type: "paragraph", text: `What week ${week + 1} is about` }] };
    for (const name of ["reading", calledSecond(week)]) {
      const { kind, isStrict } = kinds[name] ?? { kind: "text", isStrict: false };
      const engineering_lab = isStrict ? { ...lab, accepts_late: false } : lab;
      await teacher.post("/content/", {
        course_id: course.id,
        module_id: module.id,
        content_type_id: typeOf(kind === "exam" ? "quiz" : kind),
        title: `Week ${week + 1}, ${name}`,
        data_json: { text, quiz, exam, engineering_lab }[kind],
      });
    }
  }
  return course.id;
}

/**
 * The first run is small and fills up, the second is sequential with an enrollment key, the third is by staff
 * only; one in three is graded.
 */
async function openRun(
  teacher: ApiClient,
  course: SimulatedCourse,
  number: number,
  term: number,
  plan: Plan,
): Promise<CourseRun> {
  const mode = number === 1 ? "KEY" : number === 2 ? "STAFF" : "OPEN";
  const key = mode === "KEY" ? "even and odd" : null;
  const capacity = number === 0 ? Math.max(3, Math.round(plan.people / 12)) : null;
  const enrollmentEnds = addDays(plan.monday, 10);
  const endsOn = addDays(plan.monday, 7 * plan.weeks);
  const run = await teacher.post(`/courses/${course.id}/offerings`, {
    term_id: term,
    starts_at: `${plan.monday}T08:00:00Z`,
    ends_at: localMidnightOfDay(endsOn),
    enrollment_start: `${addDays(plan.monday, -14)}T00:00:00Z`,
    enrollment_end: `${enrollmentEnds}T23:59:59Z`,
    visibility: "PUBLIC",
    capacity,
    enrollment_mode: mode,
    enrollment_key: key,
  });
  if (course.isInTurn) await askInTurn(teacher, course);
  const outline = await teacher.get(`/courses/${course.id}/offerings/${run.id}/outline`);
  if (course.items.length > 0) outline.modules = [];
  for (const module of outline.modules)
    for (const { id, title } of module.items)
      course.items.push({
        id,
        ...(kinds[title.split(", ")[1]] ?? { kind: "text", isStrict: false }),
        title,
        module: module.id,
        opensOn: dayStartingAtMidnight(module.available_from),
        dueOn: dayStartingAtMidnight(module.due_at),
        isAnonymous: false,
        isForGroups: false,
      });
  const isGraded = number % 3 === 1;
  const isReleased = number === 1;
  if (isGraded) await askForGrades(teacher, run.id, course, isReleased);
  const dates = { enrollmentEnds, endsOn, termEndsOn: endsOn };
  const usual = { dueLater: 0, groups: [], lateRule: null, dropLowest: 0 };
  return { id: run.id, course, capacity, mode, key, ...dates, isGraded, isReleased, ...usual };
}

/** Weights of kinds of items in a graded run. */
export const gradeWeights = { quiz: 20, exam: 40, engineering_lab: 40 };

export const passingPercent = 60;

async function askForGrades(
  teacher: ApiClient,
  run: number,
  { items }: SimulatedCourse,
  atOnce: boolean,
): Promise<void> {
  const groups = Object.entries(gradeWeights).map(([name, weight]) => ({
    name,
    weight,
    content_item_ids: items.filter(({ kind }) => kind === name).map(({ id }) => id),
  }));
  await teacher.put(`/assessments/offerings/${run}/grading-scheme`, {
    groups,
    passing_percent: passingPercent,
    release_mode: atOnce ? "AUTOMATIC" : "MANUAL",
  });
}

async function askInTurn(teacher: ApiClient, { id }: SimulatedCourse): Promise<void> {
  const modules = await teacher.get(`/modules/courses/${id}/modules`);
  for (const [index, module] of modules.entries())
    if (index > 0)
      await teacher.put(`/modules/${module.id}`, { requires_module_ids: [modules[index - 1].id] });
}
