import { dataOf, type Schemas } from "learning-platform-client";
import { FactList } from "../components/facts.tsx";
import { formatFractionAsPercent, formatNumber, formatPercentOf100, formatToOneDecimal } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseAuthoringLayout } from "./course-layout.tsx";

type Stats = Schemas["CourseStats"];

const statuses = ["ACTIVE", "COMPLETED", "DROPPED", "PENDING", "WAITLISTED"] as const;

export const CourseStatisticsScreen = ({ course }: { course: string }) => (
  <CourseAuthoringLayout course={course} part="statistics">
    {({ id }) => <Statistics course={id} />}
  </CourseAuthoringLayout>
);

function Statistics({ course }: { course: number }) {
  const path = { course_id: course };
  const stats = useQuery(
    (signal) => dataOf(apiClient.getCourseStats({ params: { path }, signal })),
    [course],
  );
  return <QueryBoundary of={stats}>{(found) => <Shown stats={found} />}</QueryBoundary>;
}

const Shown = ({ stats }: { stats: Stats }) => (
  <>
    <section class="card" aria-labelledby="people-of-course">
      <h2 id="people-of-course">{t("stats.people")}</h2>
      <FactList
        of={[
          ...statuses.map(
            (status) =>
              [t(`status.${status}`), formatNumber(stats.enrollment_counts_by_status[status])] as const,
          ),
          [t("stats.completion"), formatFractionAsPercent(stats.completion_rate)],
          [t("stats.progress"), formatPercentOf100(stats.average_progress_percent)],
        ]}
      />
    </section>
    <section class="card" aria-labelledby="content-of-course">
      <h2 id="content-of-course">{t("stats.content")}</h2>
      <FactList
        of={[
          [t("offerings"), formatNumber(stats.offerings)],
          [t("modules"), formatNumber(stats.modules)],
          [t("stats.items"), formatNumber(stats.content_items)],
          [t("stats.rating"), formatToOneDecimal(stats.average_rating)],
          [t("stats.reviews"), formatNumber(stats.reviews)],
        ]}
      />
    </section>
    <section class="card" aria-labelledby="tutor-of-course">
      <h2 id="tutor-of-course">{t("stats.tutor")}</h2>
      <FactList
        of={[
          [t("stats.sessions"), formatNumber(stats.chat_sessions)],
          [t("stats.messages"), formatNumber(stats.chat_messages)],
          [t("stats.hits"), formatFractionAsPercent(stats.cache_hit_rate)],
        ]}
      />
    </section>
  </>
);
