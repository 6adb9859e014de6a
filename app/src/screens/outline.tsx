import { dataOf } from "learning-platform-client";
import { Heading } from "../parts/heading.tsx";
import { Notice } from "../parts/notice.tsx";
import { Outline } from "../parts/outline.tsx";
import { Progress } from "../parts/progress.tsx";
import { to } from "../places.ts";
import { Shown, useReading } from "../reading.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";

export function OutlineScreen({ course, offering }: { course: string; offering: string }) {
  const path = { course_id: Number(course), offering_id: Number(offering) };
  const outline = useReading(
    (signal) => dataOf(api.getCourseOfferingOutline({ params: { path }, signal })),
    [course, offering],
  );
  return (
    <Shown of={outline}>
      {(found) => (
        <>
          <p class="eyebrow">
            {found.course.code} {found.course_offering.term_name && `· ${found.course_offering.term_name}`}
          </p>
          <Heading title={found.course.title}>
            {found.enrollment && (
              <Progress
                percent={found.enrollment.progress_percent}
                label={t("progress.of", { title: found.course.title })}
              />
            )}
          </Heading>
          {!found.enrollment && (
            <Notice>
              {t("outline.not.enrolled")} <a href={to("catalog")}>{t("nav.catalog")}</a>
            </Notice>
          )}
          <Outline outline={found} linkOf={({ id }) => to("courses", course, offering, id)} />
        </>
      )}
    </Shown>
  );
}
