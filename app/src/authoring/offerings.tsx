import { dataOf } from "learning-platform-client";
import { ListedLines } from "../components/listed-lines.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePaged } from "../components/paged.tsx";
import { formatDay } from "../format.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseScreen } from "./course-screen.tsx";
import { OfferingFields, readOfferingFields } from "./offering-fields.tsx";

export const OfferingsScreen = ({ course }: { course: string }) => (
  <CourseScreen course={course} part="offerings">
    {({ id, university_id }) => <Offerings course={id} university={university_id} />}
  </CourseScreen>
);

function Offerings({ course, university }: { course: number; university: number }) {
  const path = { course_id: course };
  const offerings = usePaged(
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
      <ListedLines of={offerings} empty={t("offerings.empty")}>
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
      </ListedLines>
      <NewEntryCard id="new-offering" title={t("offering.new")} submit={t("offering.create")} send={create}>
        <OfferingFields university={university} />
      </NewEntryCard>
    </>
  );
}
