import { dataOf, type Schemas } from "learning-platform-client";
import { contentTypeLabel } from "../components/content-type-label.ts";
import { ScreenHeading } from "../components/heading.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { lazyComponentWithTexts } from "../components/on-demand.tsx";
import { CitedLocationProvider } from "../content/cited-location.tsx";
import { InteractiveContentItem } from "../content/content-view.tsx";
import { ContentLanguageContext, useContentLanguage } from "../markup/content-language.ts";
import { moduleOfItem } from "../outline/collapse-and-search.ts";
import { ModuleTopicsNavigation } from "../outline/module-topics.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { fragmentParameter, screenHref } from "../routes.ts";
import { apiClient, isEmbeddedInLms } from "../service.ts";
import { t } from "../texts.ts";
import { useIsTakingExam } from "../tutor/open-exam.ts";
import { TutorPanel } from "../tutor/panel.tsx";
import { TopicOfferingContext } from "../tutor/topic-context.ts";
import { useOutline } from "../use-outline.tsx";

const StudyNotesEditor = lazyComponentWithTexts(
  async () => (await import("../study/notes.tsx")).StudyNotesEditor,
);

type TopicProps = { course: string; offering: string; item: string };

export function TopicScreen({ course, offering, item }: TopicProps) {
  const content = useQuery(
    (signal) => dataOf(apiClient.getContent({ params: { path: { content_id: Number(item) } }, signal })),
    [item],
  );
  const outline = useOutline(course, offering);
  const isExam = useIsTakingExam(outline, offering);
  const enrolled = outline.value?.enrollment;
  const canProgress = enrolled?.status === "ACTIVE" || enrolled?.status === "COMPLETED";
  const module = outline.value && moduleOfItem(outline.value.modules, Number(item));
  const line = outline.value?.modules.flatMap(({ items }) => items).find(({ id }) => id === Number(item));
  const language = outline.value?.course.language_code;
  return (
    <ContentLanguageContext.Provider value={language}>
      <a class="back" href={`${screenHref("courses", course, offering)}?from=${item}`}>
        ← {outline.value ? <span lang={language}>{outline.value.course.title}</span> : t("back.to.course")}
      </a>
      <QueryBoundary of={content}>
        {(found) => (
          <div class={isEmbeddedInLms ? "topic with-tutor framed" : "topic with-tutor"}>
            {module && (
              <ModuleTopicsNavigation
                module={module}
                current={found.id}
                linkOf={(id) => screenHref("courses", course, offering, id)}
              />
            )}
            <article>
              <ScreenHeading title={found.title} lang={language}>
                <p class="eyebrow">
                  {contentTypeLabel(found.content_type.name)}
                  {line?.completed_at && (
                    <>
                      {` · ${t("done")} `}
                      <span aria-hidden="true">✓</span>
                    </>
                  )}
                </p>
              </ScreenHeading>
              {found.description && (
                <p class="lead" lang={language}>
                  {found.description}
                </p>
              )}
              <CitedLocationProvider>
                <InteractiveContentItem
                  item={found}
                  offeringId={Number(offering)}
                  progress={canProgress && outline.value ? { line, onChange: outline.again } : undefined}
                />
              </CitedLocationProvider>
              <section class="notes">
                <LazyDisclosure label={t("notes")} isOpen={fragmentParameter(location.hash, "note") !== ""}>
                  {() => <StudyNotesEditor itemId={found.id} />}
                </LazyDisclosure>
              </section>
              <Neighbours
                outline={outline.value}
                current={Number(item)}
                course={course}
                offering={offering}
              />
            </article>
            <TopicOfferingContext.Provider value={{ course, offering, mayAsk: canProgress }}>
              <TutorPanel key={found.id} contentItemId={found.id} isExam={isExam} />
            </TopicOfferingContext.Provider>
          </div>
        )}
      </QueryBoundary>
    </ContentLanguageContext.Provider>
  );
}

type NeighboursProps = {
  outline: Schemas["Outline"] | undefined;
  current: number;
  course: string;
  offering: string;
};

function Neighbours({ outline, current, course, offering }: NeighboursProps) {
  const language = useContentLanguage();
  const open = (outline?.modules ?? []).flatMap(({ items }) => items).filter(({ lock }) => !lock);
  const at = open.findIndex(({ id }) => id === current);
  const [before, after] = [open[at - 1], open[at + 1]];
  if (at < 0 || (!before && !after)) return null;
  return (
    <nav class="neighbours" aria-label={t("neighbours")}>
      {before && (
        <a href={screenHref("courses", course, offering, before.id)} lang={language}>
          ← {before.title}
        </a>
      )}
      {after && (
        <a class="after" href={screenHref("courses", course, offering, after.id)} lang={language}>
          {after.title} →
        </a>
      )}
    </nav>
  );
}
