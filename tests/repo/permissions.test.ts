import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../functions/groups.ts";
import { policy } from "../../lib/identity/rbac/policy.ts";
import { permissionsOf } from "../../scripts/build/permissions/matrix.ts";
import { permissionsFile, writePermissions } from "../../scripts/build/permissions/write.ts";

const permissions = allEndpointGroups.flatMap((group) => permissionsOf(group, ""));

describe("the table of permissions", () => {
  it("is current: run `npm run generate permissions`", () => {
    expect(readFileSync(permissionsFile, "utf8")).toBe(writePermissions());
  });

  it("lists for every operation its callers, or its action", () => {
    for (const { operation, open, action } of permissions) expect(open || action, operation).toBeTruthy();
  });

  it("has an operation for every action of the policy", () => {
    const stated = new Set(permissions.map(({ action }) => action));
    expect(Object.keys(policy).filter((action) => !stated.has(action as keyof typeof policy))).toEqual([]);
  });

  it("names the least role in each tenant", () => {
    const update = permissions.find(({ operation }) => operation === "PUT /courses/{course_id}");
    expect(update).toMatchObject({
      action: "course:write",
      least: {
        "Own university": "instructor",
        "Another university": "platform_admin",
        "Own department": "instructor",
        "Another department": "platform_admin",
      },
    });
  });
});
