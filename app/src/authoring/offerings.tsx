import { dataOf } from "learning-platform-client";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { formatDay } from "../format.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseAuthoringLayout } from "./course-layout.tsx";
import { OfferingFields, readOfferingFields } from "./offering-fields.tsx";

export const CourseOfferingsScreen = ({ course }: { course: string }) => (
  <CourseAuthoringLayout course={course} part="offerings">
    {({ id, university_id }) => <Offerings course={id} university={university_id} />}
  </CourseAuthoringLayout>
);

function Offerings({ course, university }: { course: number; university: number }) {
  const path = { course_id: course };
  const offerings = usePagedQuery(
    (part, signal) =>
      dataOf(
        apiClient.listCourseOfferings({ params: { path, query: { ...part, sort: "-starts_at" } }, signal }),
      ),
    [course],
  );
  const create = async (fields: FormData) => {
    const { id } = await dataOf(
      apiClient.createCourseOffering({ params: { path }, body: readOfferingFields(fields) }),
    );
    location.hash = screenHref("authoring", course, "offerings", id);
  };
  return (
    <>
      <PagedLineList of={offerings} empty={t("offerings.empty")}>
        {(one) => (
          <li>
            <a href={screenHref("authoring", course, "offerings", one.id)}>
              {one.term_name ?? t("offering.without.term", { n: one.id })}
            </a>
            <span class="row">
              {one.starts_at && <small>{t("starts.on", { day: formatDay(one.starts_at) })}</small>}
              <span class="badge">{t(`offering.${one.visibility}`)}</span>
            </span>
          </li>
        )}
      </PagedLineList>
      <NewEntryCard id="new-offering" title={t("offering.new")} submit={t("offering.create")} send={create}>
        <OfferingFields university={university} />
      </NewEntryCard>
    </>
  );
}
