import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { Empty } from "../components/empty.tsx";
import { Heading } from "../components/heading.tsx";
import { kindOf } from "../components/kind-of.ts";
import { Notice } from "../components/notice.tsx";
import { Back } from "../components/offering-screen.tsx";
import { OnOpening } from "../components/on-opening.tsx";
import { ContentView } from "../content/content-view.tsx";
import { PlaceProvider } from "../content/place.tsx";
import { Rendering } from "../content/rendering.tsx";
import { ContentLanguage } from "../markup/content-language.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { to } from "../routes.ts";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { CourseScreen } from "./course-screen.tsx";
import { State } from "./state.tsx";

type Module = Schemas["CourseModule"];

/** A course as its learners see it, and what they do not see yet said as that; nothing here is recorded. */
export const PreviewScreen = ({ course }: { course: string }) => (
  <CourseScreen course={course} part="preview">
    {({ id, language_code }) => (
      <ContentLanguage.Provider value={language_code}>
        <Notice>{t("preview.about")}</Notice>
        <Modules course={id} />
      </ContentLanguage.Provider>
    )}
  </CourseScreen>
);

function Modules({ course }: { course: number }) {
  const modules = useQuery(
    (signal) => allOf(api.listCourseModules, { params: { path: { course_id: course } }, signal }),
    [course],
  );
  return (
    <QueryBoundary of={modules}>
      {(found) => (
        <>
          {found.length === 0 && <Empty>{t("modules.empty")}</Empty>}
          {found.map((module, at) => (
            <ModuleSeen key={module.id} module={module} isOpen={at < 12} />
          ))}
        </>
      )}
    </QueryBoundary>
  );
}

const ModuleSeen = ({ module, isOpen }: { module: Module; isOpen: boolean }) => (
  <section class="card module" aria-labelledby={`seen-${module.id}`}>
    <div class="module-head">
      <h2 id={`seen-${module.id}`} class={`depth-${Math.min(module.depth, 3)}`}>
        {module.title}
      </h2>
      {!module.is_published && <State isOpen={false} />}
    </div>
    {module.description && <p class="lead">{module.description}</p>}
    <OnOpening label={t("items.of", { title: module.title })} isOpen={isOpen}>
      {() => <Items module={module} />}
    </OnOpening>
  </section>
);

function Items({ module }: { module: Module }) {
  const path = { module_id: module.id };
  const items = useQuery(
    (signal) => dataOf(api.listModuleContent({ params: { path, query: { fields: "summary" } }, signal })),
    [module.id],
  );
  return (
    <QueryBoundary of={items}>
      {(found) => (
        <ul class="items">
          {found.map((item) => (
            <li key={item.id} class="item">
              <span class="what">
                <a href={to("authoring", item.course_id, "preview", item.id)}>{item.title}</a>
                <small>{kindOf(item.content_type.name)}</small>
              </span>
              {!item.is_active && <State isOpen={false} />}
            </li>
          ))}
        </ul>
      )}
    </QueryBoundary>
  );
}

/** An item as its learners see it, by the service's answer to them: without keys, notes and what else is the staff's. */
export function PreviewItemScreen({ course, item }: { course: string; item: string }) {
  const content = useQuery(
    (signal) =>
      dataOf(
        api.getContent({
          params: { path: { content_id: Number(item) }, query: { as_learner: true } },
          signal,
        }),
      ),
    [item],
  );
  return (
    <>
      <Back route={["authoring", course, "preview"]}>{t("preview")}</Back>
      <QueryBoundary of={content}>
        {(found) => (
          <article>
            <Heading title={found.title}>
              <p class="eyebrow">
                {kindOf(found.content_type.name)} <State isOpen={found.is_active} />
              </p>
            </Heading>
            <Notice>{t("preview.about")}</Notice>
            {found.description && <p class="lead">{found.description}</p>}
            <PlaceProvider>
              <Seen item={found} />
            </PlaceProvider>
            <a href={to("authoring", course, "items", found.id)}>{t("edit")}</a>
          </article>
        )}
      </QueryBoundary>
    </>
  );
}

const withWork = new Set(["quiz", "engineering_lab", "assignment"]);

/** What is handed in has a person's own work beside it, which there is none of here. */
const Seen = ({ item }: { item: Schemas["ContentItem"] }) =>
  withWork.has(item.content_type.name) ? (
    <Rendering kind={item.content_type.name} data={item.data_json} title={item.title} />
  ) : (
    <ContentView item={item} offeringId={0} progress={undefined} />
  );
