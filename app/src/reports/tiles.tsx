import {
  formatFractionAsPercent,
  formatNumber,
  formatReportDay,
  formatSecondsAsMinutes,
  formatToOneDecimal,
} from "../format.ts";
import { formatCostWithEstimateMark, formatMoneyMicros } from "../format-money.ts";
import { t } from "../texts.ts";
import { type LoadedReports, reportedPeriod } from "./read-reports.ts";

type Tile = { label: string; value: string; when: string };

export function ReportTiles({ reports }: { reports: LoadedReports }) {
  const tiles = tilesOf(reports);
  return (
    <section class="tiles" aria-label={t("tiles")}>
      {tiles.map(({ label, value, when }) => (
        <div key={label + when} class="tile card">
          <strong>{value}</strong>
          <span>{label}</span>
          <small>{when}</small>
        </div>
      ))}
    </section>
  );
}

function tilesOf(reports: LoadedReports): Tile[] {
  const { date_from, date_to } = reportedPeriod(reports);
  const now = t("when.now");
  const ever = t("when.ever");
  const period = t("when.period", { from: formatReportDay(date_from), to: formatReportDay(date_to) });
  const lastDays = (days: number) => t("when.days", { days, to: formatReportDay(date_to) });
  const tile = (label: string, value: string, when = period): Tile => ({ label, value, when });
  const { overview, engagement, progress, assessments, cache, community, tutor, university } = reports;
  return [
    ...(overview
      ? [
          tile(t("tile.people"), formatNumber(overview.total_registered_users), now),
          tile(t("tile.active"), formatNumber(overview.weekly_active_users), lastDays(7)),
          tile(t("tile.active"), formatNumber(overview.monthly_active_users), lastDays(30)),
        ]
      : []),
    ...(university
      ? [
          tile(t("tile.active"), formatNumber(university.active_users)),
          tile(t("tile.active"), formatNumber(university.weekly_active_users), lastDays(7)),
          tile(t("tile.active"), formatNumber(university.monthly_active_users), lastDays(30)),
          tile(t("tile.enrollments"), formatNumber(university.total_enrollments), now),
          tile(t("tile.new"), formatNumber(university.new_enrollment_count)),
          tile(t("tile.completed"), formatNumber(university.completed_enrollment_count)),
          tile(t("tile.dropped"), formatNumber(university.drop_off_count)),
          tile(t("tile.certificates"), formatNumber(university.certificate_issue_count)),
          tile(t("tile.topics"), formatFractionAsPercent(university.completion_rate)),
          tile(t("tile.asked"), formatNumber(university.tutor_question_count)),
        ]
      : []),
    ...(engagement
      ? [
          tile(t("tile.topics"), formatFractionAsPercent(engagement.completion_rate)),
          tile(t("tile.time"), formatSecondsAsMinutes(engagement.average_time_per_topic_seconds)),
        ]
      : []),
    ...(progress
      ? [
          tile(t("tile.enrollments"), formatNumber(progress.total_enrollments), now),
          tile(t("tile.dropped"), formatNumber(progress.drop_off_count)),
        ]
      : []),
    ...(assessments
      ? [
          tile(t("tile.passed"), formatFractionAsPercent(assessments.quiz_pass_rate)),
          tile(t("tile.certificates"), formatNumber(assessments.certificate_issue_count)),
        ]
      : []),
    ...(cache
      ? [
          tile(t("tile.hit.rate"), formatFractionAsPercent(cache.cache_hit_rate), ever),
          tile(t("tile.saved"), formatNumber(cache.total_hits_served), ever),
        ]
      : []),
    ...(tutor
      ? [
          tile(t("tile.calls"), formatNumber(tutor.calls)),
          tile(t("tile.calls.saved"), formatNumber(tutor.calls_saved)),
          tile(t("tile.cost"), formatCostWithEstimateMark(tutor.cost_micros, tutor.calls_estimated)),
          tile(t("tile.cost.saved"), formatMoneyMicros(tutor.cost_saved_micros)),
        ]
      : []),
    ...(community
      ? [
          tile(t("tile.rating"), formatToOneDecimal(community.average_course_rating), now),
          tile(t("tile.posts"), formatNumber(community.total_discussion_posts), now),
        ]
      : []),
  ];
}
