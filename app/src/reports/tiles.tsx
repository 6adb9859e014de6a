import { decimal, minutes, money, number, percent, reportDay } from "../format.ts";
import { t } from "../texts.ts";
import { periodOf, type Reports } from "./data.ts";

type Tile = { label: string; value: string; when: string };

export function Tiles({ reports }: { reports: Reports }) {
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

const costLabel = ({ calls_estimated }: NonNullable<Reports["tutor"]>): string =>
  calls_estimated > 0 ? t("tile.cost.estimated") : t("tile.cost");

function tilesOf(reports: Reports): Tile[] {
  const { date_from, date_to } = periodOf(reports);
  const now = t("when.now");
  const ever = t("when.ever");
  const period = t("when.period", { from: reportDay(date_from), to: reportDay(date_to) });
  const lastDays = (days: number) => t("when.days", { days, to: reportDay(date_to) });
  const tile = (label: string, value: string, when = period): Tile => ({ label, value, when });
  const { overview, engagement, progress, assessments, cache, community, tutor, university } = reports;
  return [
    ...(overview
      ? [
          tile(t("tile.people"), number(overview.total_registered_users), now),
          tile(t("tile.active"), number(overview.weekly_active_users), lastDays(7)),
          tile(t("tile.active"), number(overview.monthly_active_users), lastDays(30)),
        ]
      : []),
    ...(university
      ? [
          tile(t("tile.active"), number(university.active_users)),
          tile(t("tile.active"), number(university.weekly_active_users), lastDays(7)),
          tile(t("tile.active"), number(university.monthly_active_users), lastDays(30)),
          tile(t("tile.enrollments"), number(university.total_enrollments), now),
          tile(t("tile.new"), number(university.new_enrollment_count)),
          tile(t("tile.completed"), number(university.completed_enrollment_count)),
          tile(t("tile.dropped"), number(university.drop_off_count)),
          tile(t("tile.certificates"), number(university.certificate_issue_count)),
          tile(t("tile.topics"), percent(university.completion_rate)),
          tile(t("tile.asked"), number(university.tutor_question_count)),
        ]
      : []),
    ...(engagement
      ? [
          tile(t("tile.topics"), percent(engagement.completion_rate)),
          tile(t("tile.time"), minutes(engagement.average_time_per_topic_seconds)),
        ]
      : []),
    ...(progress
      ? [
          tile(t("tile.enrollments"), number(progress.total_enrollments), now),
          tile(t("tile.dropped"), number(progress.drop_off_count)),
        ]
      : []),
    ...(assessments
      ? [
          tile(t("tile.passed"), percent(assessments.quiz_pass_rate)),
          tile(t("tile.certificates"), number(assessments.certificate_issue_count)),
        ]
      : []),
    ...(cache
      ? [
          tile(t("tile.hit.rate"), percent(cache.cache_hit_rate), ever),
          tile(t("tile.saved"), number(cache.total_hits_served), ever),
        ]
      : []),
    ...(tutor
      ? [
          tile(t("tile.calls"), number(tutor.calls)),
          tile(t("tile.calls.saved"), number(tutor.calls_saved)),
          tile(costLabel(tutor), money(tutor.cost_micros)),
          tile(t("tile.cost.saved"), money(tutor.cost_saved_micros)),
        ]
      : []),
    ...(community
      ? [
          tile(t("tile.rating"), decimal(community.average_course_rating), now),
          tile(t("tile.posts"), number(community.total_discussion_posts), now),
        ]
      : []),
  ];
}
