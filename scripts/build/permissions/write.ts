import { groups } from "../../../functions/groups.ts";
import { policy, type Rule } from "../../../lib/identity/rbac/policy.ts";
import { type Permission, permissionsOf, tenantNames } from "./matrix.ts";

export const permissionsFile = new URL("../../../docs/reference/permissions.md", import.meta.url);

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

const introduction = `# Who may do what

Written by \`npm run generate permissions\` from [the policy](../../lib/identity/rbac/policy.ts) and the contracts of the operations.

What is open is so for everyone of that kind, whatever their roles. For the rest a cell names the least role that may
do the action; a higher one may as well. The columns say where that role is held, seen from the thing: for the whole of
its university, in another one, or for one department only, the thing's own or another. An operation with several
actions takes the further ones for some of its things or inputs. A platform_admin acts everywhere. Whoever
teaches an offering, and is a ta or above in its university, has the rights of an instructor in its course alone. Roles
that are too low are answered 403 for what the caller can see, and 404 for what they cannot. An API key of a university
does what its scopes name, as a university_admin of it, and gives no role above instructor; where none stands, no key may.

A ta or an instructor who learns in an offering has none of these rights there: ${actionsApartFrom("offering")}. Nor these
in its course: ${actionsApartFrom("course")}. Nobody decides for themselves, whatever their role
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
