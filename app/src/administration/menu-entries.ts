import { createContainsWordsFilter } from "../contains-words.ts";
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

export type AdministrationGroupName = keyof typeof named;
export type AdministrationScreenName = (typeof named)[AdministrationGroupName][number][0];
export type AdministrationMenuEntry = {
  name: AdministrationScreenName;
  label: TextKey;
  group: AdministrationGroupName;
};

export const administrationGroupNames = Object.keys(named) as AdministrationGroupName[];
const parts: AdministrationMenuEntry[] = administrationGroupNames.flatMap((group) =>
  named[group].map(([name, label]) => ({ name, label, group })),
);

/** The screens that a department_admin sees too. */
const ofDepartments: readonly AdministrationScreenName[] = ["people", "roles", "invitations", "departments"];

export const visibleMenuEntries = (administersAll: boolean): AdministrationMenuEntry[] =>
  parts.filter(({ name }) => administersAll || ofDepartments.includes(name));

/** The screens whose label, group or further search words contain everything that was typed. */
export function searchMenuEntries(
  among: readonly AdministrationMenuEntry[],
  typed: string,
): AdministrationMenuEntry[] {
  const isFound = createContainsWordsFilter(typed);
  return among.filter(({ name, label, group }) =>
    isFound(`${t(label)} ${t(`admin.words.${name}`)} ${t(`admin.group.${group}`)}`),
  );
}
