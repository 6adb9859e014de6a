import type { Schemas } from "learning-platform-client";
import { labelWithCurrency } from "../format-money.ts";
import { t } from "../texts.ts";
import { type ChartSeries, DailyBarChart, DailyLineChart, HorizontalBarChart } from "./charts.tsx";
import type { LoadedReports } from "./read-reports.ts";

/** Courses drawn, those with the highest values. */
const maxChartedCourses = 15;

export function ReportCharts({ reports }: { reports: LoadedReports }) {
  const { overview, progress, university, assessments, cache, tutor } = reports;
  return (
    <section class="charts" aria-label={t("charts")}>
      {overview && (
        <DailyLineChart
          caption={t("chart.signups")}
          days={overview.daily_active_users.map(({ date }) => date)}
          series={[
            counts(t("series.active"), "blue", overview.daily_active_users),
            counts(t("series.signups"), "green", overview.daily_new_signups),
          ]}
        />
      )}
      {university && (
        <DailyLineChart
          caption={t("chart.active")}
          days={university.daily_active_users.map(({ date }) => date)}
          series={[counts(t("series.active"), "blue", university.daily_active_users)]}
        />
      )}
      <Courses courses={(progress ?? university)?.per_course_breakdown ?? []} />
      {overview && (
        <HorizontalBarChart
          caption={t("chart.streaks")}
          labels={overview.streak_distribution.map(({ bucket }) => bucket)}
          series={[
            {
              label: t("series.people"),
              color: "blue",
              values: overview.streak_distribution.map(({ users }) => users),
            },
          ]}
        />
      )}
      {assessments && (
        <HorizontalBarChart
          caption={t("chart.attempts")}
          labels={[t("series.passed"), t("series.failed")]}
          series={[parts([assessments.quiz_pass_count, assessments.quiz_fail_count])]}
        />
      )}
      {cache && (
        <HorizontalBarChart
          caption={t("chart.answers")}
          labels={[t("series.from.tree"), t("series.by.model")]}
          series={[parts([cache.cache_hit_count, cache.cache_miss_count])]}
        />
      )}
      {tutor && (
        <>
          <DailyBarChart
            caption={t("chart.cost.day")}
            days={tutor.daily.map(({ date }) => date)}
            series={costs(tutor.daily)}
          />
          <CostByCourse courses={tutor.per_course_breakdown} />
        </>
      )}
    </section>
  );
}

const counts = (
  label: string,
  color: ChartSeries["color"],
  days: { count: number | null }[],
): ChartSeries => ({
  label,
  color,
  values: days.map(({ count }) => count),
});

const parts = (values: ChartSeries["values"]): ChartSeries => ({
  label: t("series.count"),
  color: "blue",
  values,
});

/** LLM cost and savings from sharing, in whole currency units. */
const costs = (lines: { cost_micros: number; cost_saved_micros: number | null }[]): ChartSeries[] => [
  {
    label: labelWithCurrency(t("series.cost")),
    color: "orange",
    values: lines.map(({ cost_micros }) => cost_micros / 1_000_000),
  },
  {
    label: labelWithCurrency(t("series.cost.saved")),
    color: "green",
    values: lines.map(({ cost_saved_micros }) =>
      cost_saved_micros === null ? null : cost_saved_micros / 1_000_000,
    ),
  },
];

type Course = NonNullable<
  LoadedReports["progress"] | LoadedReports["university"]
>["per_course_breakdown"][number];
type Status = keyof Course["enrollment_counts_by_status"];

function Courses({ courses }: { courses: Course[] }) {
  const largest = courses
    .toSorted((one, other) => other.total_enrollments - one.total_enrollments)
    .slice(0, maxChartedCourses);
  const part = (label: string, status: Status, color: ChartSeries["color"]): ChartSeries => ({
    label,
    color,
    values: largest.map((course) => course.enrollment_counts_by_status[status]),
  });
  return (
    <HorizontalBarChart
      caption={t("chart.courses")}
      labels={largest.map(({ code }) => code)}
      series={[
        part(t("status.COMPLETED"), "COMPLETED", "green"),
        part(t("status.ACTIVE"), "ACTIVE", "blue"),
        part(t("status.DROPPED"), "DROPPED", "red"),
        part(t("status.WAITLISTED"), "WAITLISTED", "grey"),
        part(t("status.PENDING"), "PENDING", "orange"),
      ]}
    />
  );
}

function CostByCourse({ courses }: { courses: Schemas["TutorReport"]["per_course_breakdown"] }) {
  const dearest = courses
    .toSorted((one, other) => other.cost_micros - one.cost_micros)
    .slice(0, maxChartedCourses);
  return (
    <HorizontalBarChart
      caption={t("chart.cost.course")}
      labels={dearest.map(({ code }) => code)}
      series={costs(dearest)}
    />
  );
}
