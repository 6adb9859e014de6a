import type { ComponentChildren } from "preact";
import { ContentLanguageContext } from "../markup/content-language.ts";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import { CourseAndTermLine, useOutline } from "../use-outline.tsx";
import { EyebrowFromQuery } from "./eyebrow.tsx";
import { ScreenHeading } from "./heading.tsx";
import { type LearnerOrTeacherView, OfferingTabs } from "./offering-tabs.tsx";

type OfferingScreenProps = {
  course: string;
  offering: string;
  side: LearnerOrTeacherView;
  part: string;
  title: string;
  children: ComponentChildren;
};

/** A tab of an offering, in the language of its course. */
export function OfferingTabLayout({ course, offering, side, part, title, children }: OfferingScreenProps) {
  const outline = useOutline(course, offering, 1);
  return (
    <>
      <EyebrowFromQuery of={outline}>
        {(found) => <CourseAndTermLine outline={found} withTitle />}
      </EyebrowFromQuery>
      <ScreenHeading title={title} />
      <OfferingTabs course={course} offering={offering} side={side} current={part} />
      <ContentLanguageContext.Provider value={outline.value?.course.language_code}>
        {children}
      </ContentLanguageContext.Provider>
    </>
  );
}

type BackProps = { route: (string | number)[]; from?: string; children?: ComponentChildren };

/** A link back to the line in the list that the user came from (restored-scroll.ts). */
export const BackLink = ({ route, from, children }: BackProps) => (
  <a class="back" href={from === undefined ? screenHref(...route) : `${screenHref(...route)}?from=${from}`}>
    ← {children ?? t("back")}
  </a>
);
