import { dataOf, type Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import styles from "../../styles/later/administration.css";
import { adoptStyles } from "../adopt-styles.ts";
import { EyebrowFromQuery } from "../components/eyebrow.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { type QueryHookResult, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { administrationGroupNames, visibleMenuEntries } from "./menu-entries.ts";
import { administersWholeUniversity } from "./scope.ts";
import { AdministrationScreenSearch } from "./screen-search.tsx";

adoptStyles(styles);

type UniversityScreenProps = {
  university: string;
  part: string;
  title: string;
  /** The content. A function receives the university's query, which it may refresh. */
  children: ComponentChildren | ((university: QueryHookResult<Schemas["University"]>) => ComponentChildren);
};

export function UniversityAdministrationLayout({ university, part, title, children }: UniversityScreenProps) {
  const path = { university_id: Number(university) };
  const read = useQuery(
    (signal) => dataOf(apiClient.getUniversity({ params: { path }, signal })),
    [university],
  );
  const parts = visibleMenuEntries(administersWholeUniversity(useCurrentUser(), path.university_id));
  const group = parts.find(({ name }) => name === part)?.group;
  const tabOf = (name: string, label: string, shown = name) => ({
    part: shown,
    href: screenHref("administration", university, ...(name ? [name] : [])),
    label,
  });
  const groups = administrationGroupNames.flatMap((one) => {
    const first = parts.find((among) => among.group === one);
    return first ? [tabOf(first.name, t(`admin.group.${one}`), one)] : [];
  });
  const ofGroup = parts.filter((one) => one.group === group).map(({ name, label }) => tabOf(name, t(label)));
  return (
    <>
      <EyebrowFromQuery of={read}>{({ name }) => <p class="eyebrow">{name}</p>}</EyebrowFromQuery>
      <ScreenHeading title={title}>
        <AdministrationScreenSearch university={university} parts={parts} />
      </ScreenHeading>
      <div class="groups">
        <TabBar
          label={t("admin.groups")}
          tabs={[tabOf("", t("admin.start")), ...groups]}
          current={group ?? ""}
        />
      </div>
      {ofGroup.length > 0 && <TabBar tabs={ofGroup} current={part} />}
      {typeof children === "function" ? children(read) : children}
    </>
  );
}

type ScopedScreenProps = Omit<UniversityScreenProps, "university" | "children"> & {
  university: string | undefined;
  children: ComponentChildren;
};

/** The same for a university, or for the platform if none is given. */
export function UniversityOrPlatformAdministrationLayout({ university, ...others }: ScopedScreenProps) {
  if (university) return <UniversityAdministrationLayout university={university} {...others} />;
  return (
    <>
      <ScreenHeading title={others.title} />
      {others.children}
    </>
  );
}
