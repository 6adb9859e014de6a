import { describe, expect, it } from "vitest";
import { can, type HeldRole, type RoleName } from "../../../../lib/identity/rbac/policy.ts";

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
