import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { readableGraderSecretCondition } from "../../../../lib/assessment/auto-grading.ts";
import { onlyInactiveUniversitiesCondition } from "../../../../lib/identity/auth/only-inactive-universities.ts";
import { openSession } from "../session.ts";

const { rows, column, value, addUniversity } = openSession();

const grant = (role: string, department: number | null = null) =>
  rows(`insert into user_university_roles (user_id, university_id, role, department_id)
        values (1, 1, '${role}', ${department ?? "null"})`);

const isStaff = (course = 1) => value(`select is_staff_of_course(1, ${course})`);

it("is_staff_of_course is true from ta on, for the course's university or department", async () => {
  expect(await isStaff()).toBe(false);
  await grant("student");
  expect(await isStaff()).toBe(false);
  await rows(
    "insert into departments (university_id, name, code) values (1, 'Mills', 'M'), (1, 'Cards', 'C')",
  );
  await rows("update courses set department_id = (select min(id) from departments) where id = 1");
  await grant("instructor", Number(await value("select max(id) from departments")));
  expect(await isStaff()).toBe(false);
  await grant("ta", Number(await value("select min(id) from departments")));
  expect([await isStaff(1), await isStaff(2)]).toEqual([true, false]);
  await grant("ta");
  expect([await isStaff(1), await isStaff(2)]).toEqual([true, true]);
});

it("is_staff_of_course is true of a platform_admin everywhere, and of no other university's staff", async () => {
  await rows(`insert into universities (name, short_code, country_id)
              select 'Elsewhere', 'EW', id from countries where iso_code = 'GB'`);
  const elsewhere = (role: string) =>
    rows(`insert into user_university_roles (user_id, university_id, role)
          select 1, max(id), '${role}' from universities`);
  await elsewhere("university_admin");
  expect(await isStaff()).toBe(false);
  await elsewhere("platform_admin");
  expect(await isStaff()).toBe(true);
});

it("held_roles makes a teacher of an offering an instructor, while they have a role of ta or above there", async () => {
  const taught = "select count(*)::int from held_roles where user_id = 1 and course_id is not null";
  await rows("insert into course_offering_instructors (course_offering_id, user_id) values (1, 1)");
  await grant("student");
  expect(await value(taught)).toBe(0);
  await rows("insert into departments (university_id, name, code) values (1, 'Mills', 'M')");
  await grant("ta", Number(await value("select id from departments")));
  expect(await rows("select * from held_roles where user_id = 1 and course_id is not null")).toEqual([
    { user_id: 1, role: "instructor", university_id: 1, department_id: null, course_id: 1 },
  ]);
  expect([await isStaff(1), await isStaff(2)]).toEqual([true, false]);
  await grant("instructor");
  expect([await value(taught), await isStaff(1), await isStaff(2)]).toEqual([0, true, true]);
});

it("learners of inactive universities only are shut out; staff are not, nor people without a university", async () => {
  const shutOut = () =>
    column(sql`select ${onlyInactiveUniversitiesCondition(sql`users.id`)} from users order by users.id`);
  await rows(
    `insert into user_university_roles (user_id, university_id, role) values (1, 1, 'student'), (2, 1, 'ta')`,
  );
  expect(await shutOut()).toEqual([false, false, false]);
  await rows("update universities set is_active = false");
  expect(await shutOut()).toEqual([true, false, false]);
  await addUniversity();
  await rows(
    `insert into user_university_roles (user_id, university_id, role) select 1, max(id), 'student' from universities`,
  );
  expect(await shutOut()).toEqual([false, false, false]);
});

it("is_staff_of_offering leaves out roles below a department_admin where the person learns", async () => {
  await rows("insert into departments (university_id, name, code) values (1, 'Mills', 'M')");
  await rows("update courses set department_id = (select max(id) from departments) where id = 1");
  const staff = () =>
    column("select is_staff_of_offering(1, id, teaches => true) from generate_series(1, 2) as id");
  const rights = () =>
    rows(sql`select is_staff_of_offering(1, 1) as staff, is_staff_of_offering(1, 1, teaches => true) as instructor,
                    ${readableGraderSecretCondition(sql`1`, sql`1`)} as grader`);
  await grant("ta");
  expect(await rights()).toEqual([{ staff: true, instructor: false, grader: false }]);
  await grant("instructor");
  expect(await rights()).toEqual([{ staff: true, instructor: true, grader: true }]);
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  expect(await staff()).toEqual([false, true]);
  expect(await rights()).toEqual([{ staff: false, instructor: false, grader: false }]);
  await grant("department_admin", Number(await value("select max(id) from departments")));
  expect(await column("select role from roles_at_course(1, 1) as role order by 1")).toEqual([
    "department_admin",
    "instructor",
    "ta",
  ]);
  expect(await rights()).toEqual([{ staff: true, instructor: true, grader: true }]);
});
