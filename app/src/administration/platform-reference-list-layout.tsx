import type { ComponentChildren } from "preact";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { screenHref } from "../routes.ts";
import { type TextKey, t } from "../texts.ts";

const parts: [string, TextKey][] = [
  ["subjects", "subjects.title"],
  ["subject-domains", "subject.domains"],
  ["content-types", "content.types"],
  ["templates", "templates"],
];

type PlatformScreenProps = { part: string; title: string; about: string; children: ComponentChildren };

/** A list that all universities share, with tabs to the other lists. */
export function PlatformReferenceListLayout({ part, title, about, children }: PlatformScreenProps) {
  const tabs = parts.map(([name, label]) => ({
    part: name,
    href: screenHref("administration", name),
    label: t(label),
  }));
  return (
    <>
      <BackLink route={["administration"]}>{t("administration")}</BackLink>
      <ScreenHeading title={title} />
      <TabBar tabs={tabs} current={part} />
      <p class="quiet">{about}</p>
      {children}
    </>
  );
}
