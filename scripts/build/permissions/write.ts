import { groups } from "../../../functions/groups.ts";
import { policy, type Rule } from "../../../lib/identity/rbac/policy.ts";
import { type Permission, permissionsOf, tenantNames } from "./matrix.ts";

export const permissionsFile = new URL("../../../docs/permissions.md", import.meta.url);

export function writePermissions(): string {
  const described = groups.filter(({ tag }) => tag !== "Documentation");
  const sections = described.map((group) =>
    [`## ${group.tag}`, table(permissionsOf(group, ""))].join("\n\n"),
  );
  return `${[introduction, ...sections].join("\n\n")}\n`;
}

const actionsApartFrom = (what: NonNullable<Rule["apartFrom"]>): string =>
  Object.entries<Rule>(policy)
    .flatMap(([action, { apartFrom }]) => (apartFrom === what ? [`\`${action}\``] : []))
    .join(", ");

const introduction = `# Permissions

Written by \`npm run generate permissions\` from [the policy](../lib/identity/rbac/policy.ts) and the contracts of the operations.

An open operation is open to every caller of that kind, with any role. In all other rows, a cell names the lowest role that can
perform the action. The columns say where the caller holds that role: in the whole university of the resource, in another
university, or in one department only (the resource's own or another). If an operation has several actions, the further ones apply
to some of its resources or inputs. A platform_admin acts everywhere. A user who teaches an offering, and is a ta or above in its
university, has the rights of an instructor in its course only. If the role is too low, the response is 403 for a visible resource
and 404 for an invisible one. An API key of a university performs the actions of its scopes as a university_admin, but cannot give
a role above instructor. Without a scope in the last column, no API key can call the operation.

A ta or an instructor who is enrolled in an offering has none of these rights there: ${actionsApartFrom("offering")}. They also have
none of these in its course: ${actionsApartFrom("course")}. No role allows a decision about oneself
([why](decisions/0033-suspend-staff-rights-of-learners.md)).`;

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
