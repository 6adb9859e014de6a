import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { subjects } from "../../../schema/db/courses/subjects.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function subject(): Promise<number> {
  const values = { name: make.unique("Subject"), code: make.unique("S") };
  const [row] = await world.deps.db.insert(subjects).values(values).returning();
  return row?.id ?? 0;
}

/** Stored counts of a course by subject; null is the course itself. */
async function keptOf(courseId: number) {
  const { rows } = await world.deps.db.execute(
    sql`select subject_id, enrollments from course_popularity where course_id = ${courseId} order by 1 nulls first`,
  );
  return rows;
}

it("a course's popularity counts its active and completed enrollments, in every offering", async () => {
  const { course, offering } = await make.topic({ primary_subject_id: await subject() });
  const { primary_subject_id } = course;
  const [active, , completed] = [
    await make.enrollment((await make.person()).id, offering.id),
    await make.enrollment((await make.person()).id, offering.id, "PENDING"),
    await make.enrollment((await make.person()).id, (await make.offering(course)).id, "COMPLETED"),
  ];
  const counts = (enrollments: number) => [
    { subject_id: null, enrollments },
    { subject_id: primary_subject_id, enrollments },
  ];
  expect(await keptOf(course.id)).toEqual(counts(2));
  const admin = world.as(await make.holder("university_admin", course.university_id));
  await admin.put(`/enrollments/${active.id}`, { status: "DROPPED" });
  expect(await keptOf(course.id)).toEqual(counts(1));
  await admin.put(`/enrollments/${completed.id}`, { status: "ACTIVE" });
  expect(await keptOf(course.id)).toEqual(counts(1));
  await admin.put(`/courses/${course.id}`, { primary_subject_id: null });
  expect(await keptOf(course.id)).toEqual([{ subject_id: null, enrollments: 1 }]);
});

it("it stays right for every subject while people enroll and drop and the subjects change", async () => {
  const { course, offering } = await make.topic();
  const further = await make.offering(course);
  const taught = [await subject(), await subject(), await subject()];
  const admin = world.as(await make.holder("university_admin", course.university_id));
  const people = await Promise.all(Array.from({ length: 24 }, () => make.person()));
  const enrolling = people.map(async (person, at) => {
    const course_offering_id = at % 2 ? offering.id : further.id;
    const { body } = await world.as(person).post("/enrollments/", { course_offering_id });
    if (at % 3 === 0) await world.as(person).put(`/enrollments/${body.id}`, { status: "DROPPED" });
  });
  const teaching = Array.from({ length: 12 }, (_, at) => {
    const subject_id = taught[at % 3];
    return at % 2
      ? admin.put(`/courses/${course.id}/subjects`, [{ subject_id }])
      : admin.put(`/courses/${course.id}`, { primary_subject_id: subject_id });
  });
  await Promise.all([...enrolling, ...teaching]);
  await admin.put(
    `/courses/${course.id}/subjects`,
    taught.map((subject_id) => ({ subject_id })),
  );
  expect(await keptOf(course.id)).toEqual(
    [null, ...taught].map((subject_id) => ({ subject_id, enrollments: 16 })),
  );
});
