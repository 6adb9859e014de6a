import { dataOf, type Schemas } from "learning-platform-client";
import { contentTypeLabel } from "../components/content-type-label.ts";
import { CourseOutlineTree } from "../components/course-outline-tree.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { CitedLocationProvider } from "../content/cited-location.tsx";
import { ContentDataView } from "../content/content-body.tsx";
import { InteractiveContentItem } from "../content/content-view.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseAuthoringLayout } from "./course-layout.tsx";
import { fetchOutlineAsLearner } from "./outline-as-learner.ts";
import { PublishedOrDraftBadge } from "./publish-toggle.tsx";

/** The course as learners see it, with unpublished parts marked. Records no progress. */
export const CoursePreviewScreen = ({ course }: { course: string }) => (
  <CourseAuthoringLayout course={course} part="preview">
    {(found) => (
      <>
        <Notice>{t("preview.about")}</Notice>
        <Seen course={found} />
      </>
    )}
  </CourseAuthoringLayout>
);

function Seen({ course }: { course: Schemas["Course"] }) {
  const seen = useQuery((signal) => fetchOutlineAsLearner(course.id, signal), [course.id]);
  return (
    <QueryBoundary of={seen}>
      {(modules) => (
        <CourseOutlineTree
          outline={{ course, modules }}
          linkOf={({ id }) => screenHref("authoring", course.id, "preview", id)}
          stateOf={(isOpen) => !isOpen && <PublishedOrDraftBadge isOpen={false} />}
        />
      )}
    </QueryBoundary>
  );
}

/** An item as the service returns it to learners, without keys and staff notes. */
export function ItemPreviewScreen({ course, item }: { course: string; item: string }) {
  const content = useQuery(
    (signal) =>
      dataOf(
        apiClient.getContent({
          params: { path: { content_id: Number(item) }, query: { as_learner: true } },
          signal,
        }),
      ),
    [item],
  );
  return (
    <>
      <BackLink route={["authoring", course, "preview"]}>{t("preview")}</BackLink>
      <QueryBoundary of={content}>
        {(found) => (
          <article>
            <ScreenHeading title={found.title}>
              <p class="eyebrow">
                {contentTypeLabel(found.content_type.name)} <PublishedOrDraftBadge isOpen={found.is_active} />
              </p>
            </ScreenHeading>
            <Notice>{t("preview.about")}</Notice>
            {found.description && <p class="lead">{found.description}</p>}
            <CitedLocationProvider>
              <SeenContent item={found} />
            </CitedLocationProvider>
            <a href={screenHref("authoring", course, "items", found.id)}>{t("edit")}</a>
          </article>
        )}
      </QueryBoundary>
    </>
  );
}

const withWork = new Set(["quiz", "engineering_lab", "assignment", "scorm"]);

/** Items with submissions need a learner, so the preview renders only their content. */
const SeenContent = ({ item }: { item: Schemas["ContentItem"] }) =>
  item.content_type.name === "external_tool" ? (
    <p class="quiet">{t("tool.preview")}</p>
  ) : withWork.has(item.content_type.name) ? (
    <ContentDataView kind={item.content_type.name} data={item.data_json} title={item.title} />
  ) : (
    <InteractiveContentItem item={item} offeringId={0} progress={undefined} />
  );
