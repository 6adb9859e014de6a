import { dataOf, type Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { EyebrowLabel } from "../components/eyebrow.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { type QueryHookResult, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { type TextKey, t } from "../texts.ts";
import { administersWholeUniversity } from "./scope.ts";

type Part = {
  name: string;
  label: TextKey;
  /** Whether the tab is also shown to a department_admin. */
  isOfDepartments?: boolean;
};

const parts: Part[] = [
  { name: "people", label: "people", isOfDepartments: true },
  { name: "roles", label: "roles", isOfDepartments: true },
  { name: "invitations", label: "invitations", isOfDepartments: true },
  { name: "departments", label: "departments", isOfDepartments: true },
  { name: "imports", label: "imports" },
  { name: "terms", label: "terms" },
  { name: "templates", label: "templates" },
  { name: "tutor", label: "budget" },
  { name: "credentials", label: "credentials" },
  { name: "domains", label: "domains" },
  { name: "identity-providers", label: "providers" },
  { name: "lti", label: "lti" },
  { name: "offices", label: "offices" },
  { name: "api-keys", label: "keys" },
  { name: "directory", label: "directory" },
  { name: "audit", label: "audit" },
  { name: "settings", label: "university.settings" },
];

type UniversityScreenProps = {
  university: string;
  part: string;
  title: string;
  /** The content. A function receives the university's query, which it may refresh. */
  children: ComponentChildren | ((university: QueryHookResult<Schemas["University"]>) => ComponentChildren);
};

export function UniversityLayout({ university, part, title, children }: UniversityScreenProps) {
  const path = { university_id: Number(university) };
  const read = useQuery(
    (signal) => dataOf(apiClient.getUniversity({ params: { path }, signal })),
    [university],
  );
  const isFree = administersWholeUniversity(useCurrentUser(), path.university_id);
  const tabs = parts
    .filter(({ isOfDepartments }) => isFree || isOfDepartments)
    .map(({ name, label }) => ({
      part: name,
      href: screenHref("administration", university, name),
      label: t(label),
    }));
  return (
    <>
      <EyebrowLabel of={read}>{({ name }) => <p class="eyebrow">{name}</p>}</EyebrowLabel>
      <ScreenHeading title={title} />
      <TabBar tabs={tabs} current={part} />
      {typeof children === "function" ? children(read) : children}
    </>
  );
}

type ScopedScreenProps = Omit<UniversityScreenProps, "university" | "children"> & {
  university: string | undefined;
  children: ComponentChildren;
};

/** The same for a university, or for the platform if none is given. */
export function UniversityOrPlatformLayout({ university, ...others }: ScopedScreenProps) {
  if (university) return <UniversityLayout university={university} {...others} />;
  return (
    <>
      <ScreenHeading title={others.title} />
      {others.children}
    </>
  );
}
