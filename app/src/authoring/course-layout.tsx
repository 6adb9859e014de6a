import { dataOf, type Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { ScreenHeading } from "../components/heading.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { ContentLanguageContext } from "../markup/content-language.ts";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { type TextKey, t } from "../texts.ts";
import { useMayEditCourse } from "../use-may-edit-course.ts";
import { PublishedOrDraftBadge } from "./publish-toggle.tsx";

const parts: [string, TextKey][] = [
  ["", "tab.outline"],
  ["preview", "preview"],
  ["settings", "course.settings"],
  ["offerings", "offerings"],
  ["questions", "pools"],
  ["statistics", "course.statistics"],
  ["exemptions", "exemptions"],
  ["cartridges", "tab.cartridges"],
];

/** Tabs that teaching assistants may see. */
const ofAssistants = ["statistics", "exemptions"];

type CourseScreenProps = {
  course: string;
  part: string;
  children: (course: Schemas["Course"], query: QueryHookResult<Schemas["Course"]>) => ComponentChildren;
};

/** A tab of a course's authoring screens. */
export function CourseAuthoringLayout({ course, part, children }: CourseScreenProps) {
  const query = useQuery(
    (signal) => dataOf(apiClient.getCourse({ params: { path: { course_id: Number(course) } }, signal })),
    [course],
  );
  const isAuthor = useMayEditCourse(course);
  const shown = parts.filter(([name]) => isAuthor || ofAssistants.includes(name));
  const tabs = shown.map(([name, label]) => ({
    part: name,
    href: screenHref("authoring", course, ...(name ? [name] : [])),
    label: t(label),
  }));
  return (
    <QueryBoundary of={query}>
      {(found) => (
        <ContentLanguageContext.Provider value={found.language_code}>
          <p class="eyebrow">
            {found.code} <PublishedOrDraftBadge isOpen={found.is_published} />
          </p>
          <ScreenHeading title={found.title} lang={found.language_code} />
          <TabBar tabs={tabs} current={part} />
          {children(found, query)}
        </ContentLanguageContext.Provider>
      )}
    </QueryBoundary>
  );
}
