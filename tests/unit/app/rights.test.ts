import { expect, it } from "vitest";
import { hasAuthorAndAssistantRoles, hasRoleOrHigherAt, isAuthorRole } from "../../../app/src/role-checks.ts";
import { can } from "../../../lib/identity/rbac/policy.ts";
import { roles } from "../../../schema/enums.ts";

const names = [
  "STUDENT",
  "TA",
  "INSTRUCTOR",
  "DEPARTMENT_ADMIN",
  "UNIVERSITY_ADMIN",
  "PLATFORM_ADMIN",
] as const;

/** Every role, in a university, a department and a course. */
const held = names.flatMap((role) =>
  [
    { department_id: null, course_id: null },
    { department_id: 1, course_id: null },
    { department_id: null, course_id: 1 },
  ].map((bound) => ({ role, university_id: 1, offering_id: null, ...bound })),
);

const scopes = [1, 2].flatMap((university_id) =>
  [null, 1, 2].flatMap((department_id) =>
    [undefined, 1, 2].map((course_id) => ({ university_id, department_id, course_id })),
  ),
);

it("the application offers exactly what the policy allows", () => {
  expect(names.map((name) => name.toLowerCase())).toEqual(roles);
  for (const one of held)
    for (const { course_id, ...bounds } of scopes) {
      const scope = { ...bounds, ...(course_id !== undefined && { course_id }) };
      const own = [{ ...one, role: roles[names.indexOf(one.role)] ?? "student" }];
      const said = JSON.stringify({ one, scope });
      expect(hasRoleOrHigherAt([one], "INSTRUCTOR", scope), said).toBe(can(own, "course:write", scope));
      expect(hasRoleOrHigherAt([one], "DEPARTMENT_ADMIN", scope), said).toBe(
        can(own, "course:delete", scope),
      );
    }
});

it("if a person may write only some of their courses, the application asks about the course", () => {
  const asPolicy = (one: (typeof held)[number]) => ({
    ...one,
    role: roles[names.indexOf(one.role)] ?? "student",
  });
  const unlike = new Set<string>();
  for (const one of held)
    for (const other of held)
      for (const { course_id, ...bounds } of scopes) {
        const scope = { ...bounds, ...(course_id !== undefined && { course_id }) };
        const both = [one, other];
        const own = both.map(asPolicy);
        if (!can(own, "attempt:read", scope)) continue;
        const writes = can(own, "course:write", scope);
        const said = JSON.stringify({ both, scope });
        if (hasAuthorAndAssistantRoles(both)) unlike.add(String(writes));
        else expect(both.some(isAuthorRole), said).toBe(writes);
        expect(hasRoleOrHigherAt(both, "INSTRUCTOR", scope), said).toBe(writes);
      }
  expect(unlike).toEqual(new Set(["true", "false"]));
});
