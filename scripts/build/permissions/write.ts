import { allEndpointGroups } from "../../../functions/groups.ts";
import { type PolicyRule, policy } from "../../../lib/identity/rbac/policy.ts";
import { type Permission, permissionsOf, tenantNames } from "./matrix.ts";

export const permissionsFile = new URL("../../../docs/reference/permissions.md", import.meta.url);

export function writePermissions(): string {
  const described = Map.groupBy(allEndpointGroups, ({ tag }) => tag);
  described.delete("Documentation");
  const sections = [...described].map(([tag, some]) =>
    [`## ${tag}`, table(some.flatMap((group) => permissionsOf(group, "")))].join("\n\n"),
  );
  return `${[introduction, ...sections].join("\n\n")}\n`;
}

const actionsApartFrom = (what: NonNullable<PolicyRule["apartFrom"]>): string =>
  Object.entries<PolicyRule>(policy)
    .flatMap(([action, { apartFrom }]) => (apartFrom === what ? [`\`${action}\``] : []))
    .join(", ");

const introduction = `# Permissions

After this page you know which role or API key each operation requires.

\`npm run generate permissions\` writes this page from [the policy](../../lib/identity/rbac/policy.ts) and the contracts of the
operations.

- *Open to* names callers that need no role. All others need at least the role in the table. It is held for the whole
  university of the resource, for another university, or for the resource's own or another department.
- An operation with several actions needs the further ones for some resources or inputs.
- A platform_admin acts everywhere. A user assigned to an offering, with role ta or higher in its university, has instructor
  rights in that course.
- If the role is too low, the answer is 403 for resources that the caller can see, otherwise 404.
- An API key acts as a university_admin within its scopes, and grants no role above instructor. Without a scope in the table,
  no key may call the operation.

A ta or an instructor who learns in an offering loses these rights there: ${actionsApartFrom("offering")}. In its course they
lose these: ${actionsApartFrom("course")}. No role allows decisions about your own work
([why](../decisions/0033-suspend-staff-rights-of-learners.md)).`;

function table(permissions: readonly Permission[]): string {
  const rows = permissions.map(({ operation, action, open, scope, least }, at) => [
    permissions[at - 1]?.operation === operation ? "" : code(operation),
    open,
    code(action),
    ...tenantNames.map((tenant) => least[tenant] ?? ""),
    code(scope),
  ]);
  return markdownTable([["Operation", "Open to", "Action", ...tenantNames, "API key"], ...rows]);
}

function markdownTable([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("\n");
}

const code = (text: string | undefined): string => (text ? `\`${text}\`` : "");
