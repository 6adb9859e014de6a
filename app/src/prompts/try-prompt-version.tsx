import { dataOf } from "learning-platform-client";
import { EmptyMessage } from "../components/empty.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { TutorPanel } from "../tutor/panel.tsx";
import { CourseAndModulePicker } from "./course-and-module-picker.tsx";
import { PromptVersionLayout, type PromptVersionRouteProps } from "./version-layout.tsx";

/** Picks an item to try a version on, before a label moves. */
export const TryPromptItemPickerScreen = (version: PromptVersionRouteProps) => (
  <PromptVersionLayout {...version} part="try">
    {() => (
      <section class="card" aria-labelledby="where">
        <h2 id="where">{t("try.where")}</h2>
        <p>{t("try.about")}</p>
        <CourseAndModulePicker none="">
          {(items) => (
            <ul class="lines" aria-label={t("try.items")}>
              {items.map(({ id, title }) => (
                <li key={id}>
                  <a href={screenHref("prompts", version.name, "versions", version.version, "try", id)}>
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </CourseAndModulePicker>
      </section>
    )}
  </PromptVersionLayout>
);

/** A conversation with the version about an item, outside of the shared tree. */
export const TryPromptConversationScreen = ({
  item,
  ...version
}: PromptVersionRouteProps & { item: string }) => (
  <PromptVersionLayout {...version} part="try">
    {({ name, version: tried }) => (
      <>
        <About item={Number(item)} />
        <p>
          <a href={screenHref("prompts", version.name, "versions", version.version, "try")}>
            {t("try.elsewhere")}
          </a>
        </p>
        <TutorPanel
          key={`${tried} ${item}`}
          contentItemId={Number(item)}
          isExam={false}
          tried={{ name, version: tried }}
        />
      </>
    )}
  </PromptVersionLayout>
);

function About({ item }: { item: number }) {
  const content = useQuery(
    (signal) => dataOf(apiClient.getContent({ params: { path: { content_id: item } }, signal })),
    [item],
  );
  return (
    <QueryBoundary of={content}>
      {({ title }) => <EmptyMessage>{t("try.in", { title })}</EmptyMessage>}
    </QueryBoundary>
  );
}
