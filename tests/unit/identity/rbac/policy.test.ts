import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { can, type HeldRole, type RoleName } from "../../../../lib/identity/rbac/policy.ts";
import { permissionConditionsByScope } from "../../../../lib/identity/rbac/scopes.ts";
import { textOf } from "../../../support/statement-text.ts";

const held = (role: RoleName, university_id = 1, department_id: number | null = null): HeldRole[] => [
  { role, university_id, department_id },
];

describe("permissions", () => {
  it("a teaching assistant is not an instructor", () => {
    expect(can(held("ta"), "course:write", { university_id: 1 })).toBe(false);
    expect(can(held("instructor"), "course:write", { university_id: 1 })).toBe(true);
  });

  it("a role counts in its own university only", () => {
    expect(can(held("university_admin"), "course:write", { university_id: 2 })).toBe(false);
  });

  it("a platform_admin of any university acts everywhere", () => {
    expect(can(held("platform_admin", 7), "course:delete", { university_id: 2 })).toBe(true);
  });

  it("a role of a department counts for that department's things", () => {
    const role = held("instructor", 1, 5);
    expect(can(role, "course:write", { university_id: 1, department_id: 5 })).toBe(true);
    expect(can(role, "course:write", { university_id: 1, department_id: 6 })).toBe(false);
    expect(can(role, "course:write", { university_id: 1, department_id: null })).toBe(false);
  });

  it("a teacher of a course is an instructor in it, and nowhere else", () => {
    const taught: HeldRole[] = [{ role: "instructor", university_id: 1, department_id: null, course_id: 7 }];
    expect(can(taught, "course:write", { university_id: 1, department_id: 5, course_id: 7 })).toBe(true);
    expect(can(taught, "course:delete", { university_id: 1, course_id: 7 })).toBe(false);
    expect(can(taught, "course:write", { university_id: 1, course_id: 8 })).toBe(false);
    expect(can(taught, "course:write", { university_id: 1 })).toBe(false);
    expect(can(taught, "user:read", { university_id: 1 })).toBe(false);
    expect(can(taught, "prompt:write")).toBe(false);
  });

  it("for a row of no university, the role of any university counts", () => {
    expect(can(held("instructor", 3, 4), "prompt:write")).toBe(true);
    expect(can(held("ta", 3), "prompt:write")).toBe(false);
  });

  it("a person without a role may do nothing", () => {
    expect(can([], "prompt:read")).toBe(false);
    expect(can([], "course:write", { university_id: 1 })).toBe(false);
  });
});

describe("permissionConditionsByScope", () => {
  const [university, department, course, offering] = [
    sql`university`,
    sql`department`,
    sql`course`,
    sql`run`,
  ];
  const limited: HeldRole[] = [
    ...held("ta", 1, 5),
    { role: "instructor", university_id: 1, department_id: null, course_id: 7 },
    { role: "ta", university_id: 1, department_id: null, offering_id: 8 },
  ];

  it("has no condition for a limited role if the rows lack its column", () => {
    const caller = { id: 9, roles: limited };
    expect(permissionConditionsByScope(caller, "attempt:read", university)).toEqual([]);
    expect(permissionConditionsByScope(undefined, "attempt:read", university)).toEqual([]);
  });

  it("has one condition for each kind of role that the caller has", () => {
    const conditions = (roles: HeldRole[]) =>
      permissionConditionsByScope({ id: 9, roles }, "attempt:read", university, department, course, {
        offering,
      });
    expect(conditions(limited)).toHaveLength(3);
    for (const role of limited) expect(conditions([role])).toHaveLength(1);
  });

  it("excludes the courses that the person takes if the rows have no offering, and nothing without a course", () => {
    const caller = { id: 9, roles: held("ta") };
    const texts = (of?: typeof course) =>
      permissionConditionsByScope(caller, "attempt:read", university, undefined, of).map(textOf);
    expect(texts(course)).toEqual([
      "(university = 1::int and coalesce(course <> all(array(select course_id from learners where user_id = 9::int)), true))",
    ]);
    expect(texts()).toEqual(["(university = 1::int and true)"]);
  });
});
