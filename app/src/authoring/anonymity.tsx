import { allOf, type Schemas } from "learning-platform-client";
import { Notice } from "../components/notice.tsx";
import { useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

/** Warns if an anonymously graded item shows names because its grades are released. */
export function BrokenAnonymityNotice({ item }: { item: Schemas["ContentItem"] }) {
  const shownIn = item.people_shown_in ?? [];
  return shownIn.length > 0 ? <ShownIn item={item} offerings={shownIn} /> : null;
}

function ShownIn({ item, offerings }: { item: Schemas["ContentItem"]; offerings: number[] }) {
  const path = { course_id: item.course_id };
  const { value: runs = [] } = useQuery(
    (signal) => allOf(apiClient.listCourseOfferings, { params: { path, query: { limit: 1000 } }, signal }),
    [item.course_id],
  );
  const nameOf = (id: number) =>
    runs.find((one) => one.id === id)?.term_name ?? t("anonymous.released.offering", { id });
  return (
    <Notice>
      {t("anonymous.released")}{" "}
      {offerings.map((id) => (
        <a key={id} href={screenHref("teaching", item.course_id, id, "items", item.id)}>
          {nameOf(id)}
        </a>
      ))}
    </Notice>
  );
}
