import { containsWords } from "../contains-words.ts";
import { type TextKey, t } from "../texts.ts";

/** The screens of a university's administration by group, with the names of their labels. */
const named = {
  people: [
    ["people", "people"],
    ["roles", "roles"],
    ["invitations", "invitations"],
    ["departments", "departments"],
    ["imports", "imports"],
  ],
  teaching: [
    ["terms", "terms"],
    ["templates", "templates"],
    ["tutor", "budget"],
  ],
  connections: [
    ["credentials", "credentials"],
    ["domains", "domains"],
    ["identity-providers", "providers"],
    ["lti", "lti"],
    ["lti-tools", "tools"],
    ["directory", "directory"],
    ["api-keys", "keys"],
  ],
  rules: [
    ["offices", "offices"],
    ["audit", "audit"],
    ["settings", "university.settings"],
  ],
} as const satisfies Record<string, readonly (readonly [string, TextKey])[]>;

export type PartGroup = keyof typeof named;
export type PartName = (typeof named)[PartGroup][number][0];
export type Part = { name: PartName; label: TextKey; group: PartGroup };

export const partGroups = Object.keys(named) as PartGroup[];
const parts: Part[] = partGroups.flatMap((group) =>
  named[group].map(([name, label]) => ({ name, label, group })),
);

/** The screens that a department_admin sees too. */
const ofDepartments: readonly PartName[] = ["people", "roles", "invitations", "departments"];

export const visibleParts = (administersAll: boolean): Part[] =>
  parts.filter(({ name }) => administersAll || ofDepartments.includes(name));

/** The screens whose label, group or further search words contain everything that was typed. */
export function findParts(among: readonly Part[], typed: string): Part[] {
  const isFound = containsWords(typed);
  return among.filter(({ name, label, group }) =>
    isFound(`${t(label)} ${t(`admin.words.${name}`)} ${t(`admin.group.${group}`)}`),
  );
}
