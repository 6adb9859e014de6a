import { beforeAll, describe, expect, it } from "vitest";
import { courseSubjects } from "../../../schema/db/courses/courses.ts";
import { courseOfferingInstructors } from "../../../schema/db/courses/offerings.ts";
import { subjects } from "../../../schema/db/courses/subjects.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Thing = { id: number };

let university: Thing;
let department: Thing;
let subject: Thing;
let ta: Thing;
let teacher: Thing;
let learner: Thing;
const courses: Record<string, Thing & { university_id: number }> = {};
const offerings: Record<string, Thing> = {};

beforeAll(async () => {
  world.setNow("2026-03-10T12:00:00.000Z");
  const { db } = world.deps;
  university = await make.university();
  department = await make.department(university.id);
  ta = await make.holder("ta", university.id);
  teacher = await make.person({ full_name: "Grace Teacher" });
  learner = await make.person({ full_name: "Zoë Learner" });
  const [row] = await db
    .insert(subjects)
    .values({ name: "Signals", code: make.unique("S") })
    .returning();
  subject = row ?? { id: 0 };
  const add = async (key: string, title: string, code: string, overrides = {}) => {
    courses[key] = await make.course(university.id, { title, code, ...overrides });
  };
  await add("signals", "Señales y Sistemas", "EE-201", { department_id: department.id, level: "GRADUATE" });
  await add("circuits", "Circuits", "EE-101", { primary_subject_id: subject.id });
  await add("draft", "Antennas (draft)", "EE-401", { is_published: false });
  await db.insert(courseSubjects).values({ course_id: courses["circuits"]?.id ?? 0, subject_id: subject.id });
  const run = async (key: string, course: string, overrides = {}) => {
    const of = courses[course];
    if (of) offerings[key] = await make.offering(of, { term_name: "Autumn 2026", ...overrides });
  };
  await run("autumn", "signals", { starts_at: "2026-09-01T00:00:00Z" });
  await run("spring", "signals", { term_name: "Spring 2026", enrollment_end: "2026-02-01T00:00:00Z" });
  await run("private", "circuits", { visibility: "PRIVATE", starts_at: "2026-04-01T00:00:00Z" });
  await run("later", "circuits", { enrollment_start: "2026-04-01T00:00:00Z" });
  await run("hidden", "draft");
  await db
    .insert(courseOfferingInstructors)
    .values({ course_offering_id: offerings["autumn"]?.id ?? 0, user_id: teacher.id });
  await make.enrollment(learner.id, offerings["autumn"]?.id ?? 0, "WAITLISTED");
});

const keysOf = (things: Record<string, Thing>, found: Thing[]): (string | number)[] =>
  found.map(({ id }) => Object.entries(things).find(([, one]) => one.id === id)?.[0] ?? id);

async function listed(things: Record<string, Thing>, path: string, person?: Thing) {
  const { status, body, text } = await world.as(person).get(path);
  if (status !== 200) throw new Error(text);
  return keysOf(things, body);
}

describe("courses", () => {
  const at = (query: string, person?: Thing) =>
    listed(courses, `/courses?university_id=${university.id}&${query}`, person);

  it("are found by words of their code or title", async () => {
    expect(await at("q=senales")).toEqual(["signals"]);
    expect(await at("q=SISTEMAS%20ee201")).toEqual([]);
    expect(await at("q=ee-201")).toEqual(["signals"]);
    expect(await at("q=ee")).toEqual(["signals", "circuits"]);
    expect(await at("q=antenna")).toEqual([]);
    expect(await at("q=antenna", ta)).toEqual(["draft"]);
  });

  it("are narrowed by department, subject, level and whether they are published", async () => {
    expect(await at(`department_id=${department.id}`)).toEqual(["signals"]);
    expect(await at(`subject_id=${subject.id}`)).toEqual(["circuits"]);
    expect(await at("level=graduate")).toEqual(["signals"]);
    expect(await at("is_published=false")).toEqual([]);
    expect(await at("is_published=false", ta)).toEqual(["draft"]);
    expect(await at("is_published=true", ta)).toEqual(["signals", "circuits"]);
  });

  it("have the requested order, ascending or descending", async () => {
    expect(await at("sort=title", ta)).toEqual(["draft", "circuits", "signals"]);
    expect(await at("sort=-title", ta)).toEqual(["signals", "circuits", "draft"]);
    expect(await at("sort=-code&limit=1&skip=1", ta)).toEqual(["signals"]);
  });

  it("never return their search text", async () => {
    const admin = world.as(await make.holder("university_admin", university.id));
    const made = await admin.post("/courses/", { title: "T", code: "C-1", university_id: university.id });
    const one = `/courses/${made.body.id}`;
    const changed = await admin.put(one, { title: "U" });
    for (const { body } of [made, changed, await admin.get(one)])
      expect(body).not.toHaveProperty("search_text");
    await admin.delete(one);
  });
});

describe("offerings of all courses", () => {
  const at = (query: string, person?: Thing) =>
    listed(offerings, `/offerings/?university_id=${university.id}&${query}`, person);

  it("are limited to those that the caller may see, with course and teachers", async () => {
    expect(await at("")).toEqual(["autumn", "spring", "later"]);
    expect(await at("", ta)).toEqual(["autumn", "spring", "private", "later", "hidden"]);
    const { body } = await world.as().get(`/offerings?q=senales&sort=-id&limit=1&skip=1`);
    expect(body).toMatchObject([
      {
        id: offerings["autumn"]?.id,
        term_name: "Autumn 2026",
        starts_at: "2026-09-01T00:00:00.000Z",
        course: { title: "Señales y Sistemas", code: "EE-201", department_id: department.id },
        teachers: [{ user_id: teacher.id, full_name: "Grace Teacher" }],
        is_open: true,
      },
    ]);
  });

  it("are narrowed by department, course, teacher, visibility and whether they are open now", async () => {
    expect(await at(`department_id=${department.id}`)).toEqual(["autumn", "spring"]);
    expect(await at(`course_id=${courses["circuits"]?.id}`)).toEqual(["later"]);
    expect(await at(`teacher_id=${teacher.id}`)).toEqual(["autumn"]);
    expect(await at("visibility=private", ta)).toEqual(["private"]);
    expect(await at("open=true", ta)).toEqual(["autumn", "private", "hidden"]);
    expect(await at("open=false")).toEqual(["spring", "later"]);
  });

  it("are ordered by when they start, those without a date after the others", async () => {
    expect(await at("sort=starts_at", ta)).toEqual(["private", "autumn", "spring", "later", "hidden"]);
    expect(await at("sort=-starts_at", ta)).toEqual(["hidden", "later", "spring", "autumn", "private"]);
  });
});

it("the offerings of a course are found by their term, and narrowed likewise", async () => {
  const path = `/courses/${courses["signals"]?.id}/offerings`;
  expect(await listed(offerings, `${path}?q=spring`)).toEqual(["spring"]);
  expect(await listed(offerings, `${path}?open=true`)).toEqual(["autumn"]);
  expect(await listed(offerings, `${path}?teacher_id=${teacher.id}&sort=-id`)).toEqual(["autumn"]);
  expect((await world.as().get(`${path}?term=spring`)).body.detail[0].loc).toEqual(["query", "term"]);
});

it("a roster is searched by name and address, and ordered by name, and says how far everyone is", async () => {
  const offering = offerings["autumn"]?.id ?? 0;
  const course = courses["signals"];
  const path = `/courses/${course?.id}/offerings/${offering}/enrollments`;
  const early = await make.person({ full_name: "Émile Early" });
  await make.enrollment(early.id, offering);
  const module = await make.module(course?.id ?? 0);
  const items = [
    await make.contentItem(module, university.id),
    await make.contentItem(module, university.id),
  ];
  const post = { content_item_id: items[0]?.id, course_offering_id: offering };
  await world.as(early).post("/progress/content", { ...post, progress_percent: 100 });
  await world
    .as(early)
    .post("/progress/content", { ...post, content_item_id: items[1]?.id, progress_percent: 50 });
  const names = async (query: string) =>
    (await world.as(ta).get(path + query)).body.map(({ full_name }: { full_name: string }) => full_name);
  expect(await names("")).toEqual(["Émile Early", "Zoë Learner"]);
  expect(await names("?sort=-full_name")).toEqual(["Zoë Learner", "Émile Early"]);
  expect(await names("?q=zoe")).toEqual(["Zoë Learner"]);
  expect(await names(`?q=${early.email}&status=ACTIVE`)).toEqual(["Émile Early"]);
  expect(await names("?sort=progress_percent")).toEqual(["Zoë Learner", "Émile Early"]);
  const { body } = await world.as(ta).get(path);
  expect(body).toMatchObject([
    { progress_percent: 75, completed_items: 1, last_activity_at: "2026-03-10T12:00:00.000Z" },
    { progress_percent: 0, completed_items: 0, last_activity_at: null },
  ]);
});
