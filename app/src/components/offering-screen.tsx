import type { ComponentChildren } from "preact";
import { ContentLanguage } from "../markup/content-language.ts";
import { CourseLine, useOutline } from "../outline.tsx";
import { to } from "../routes.ts";
import { t } from "../texts.ts";
import { Eyebrow } from "./eyebrow.tsx";
import { Heading } from "./heading.tsx";
import { type Side, Tabs } from "./tabs.tsx";

type OfferingScreenProps = {
  course: string;
  offering: string;
  side: Side;
  /** Which of the offering's parts this is. */
  part: string;
  title: string;
  children: ComponentChildren;
};

/** A part of an offering, such as its grades, in the language of its course: which that is, and the way to the other parts. */
export function OfferingScreen({ course, offering, side, part, title, children }: OfferingScreenProps) {
  const outline = useOutline(course, offering, 1);
  return (
    <>
      <Eyebrow of={outline}>{(found) => <CourseLine outline={found} withTitle />}</Eyebrow>
      <Heading title={title} />
      <Tabs course={course} offering={offering} side={side} current={part} />
      <ContentLanguage.Provider value={outline.value?.course.language_code}>
        {children}
      </ContentLanguage.Provider>
    </>
  );
}

type BackProps = { route: (string | number)[]; from?: string; children?: ComponentChildren };

/** The way back to where a part of the offering is listed: to its line, where the list keeps its place (kept-place.ts). */
export const Back = ({ route, from, children }: BackProps) => (
  <a class="back" href={from === undefined ? to(...route) : `${to(...route)}?from=${from}`}>
    ← {children ?? t("back")}
  </a>
);
