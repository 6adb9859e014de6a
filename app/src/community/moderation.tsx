import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { OfferingTabFilteredByState } from "../components/offering-tab-by-state.tsx";
import { UploadedFileList } from "../files/uploaded-file.tsx";
import { formatDayAndTime } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

/** The generated type does not cover a nullable post. */
type Report = Omit<Schemas["DiscussionReportForStaff"], "post"> & { post: Schemas["DiscussionPost"] | null };
type RouteProps = { course: string; offering: string };
type State = "open" | "resolved";

export function ModerateReportsScreen({ course, offering }: RouteProps) {
  const path = { offering_id: Number(offering) };
  return (
    <OfferingTabFilteredByState<State, Report>
      course={course}
      offering={offering}
      part="moderation"
      title={t("moderation")}
      label={t("moderation.which")}
      states={[
        ["open", t("moderation.open")],
        ["resolved", t("moderation.resolved")],
      ]}
      first="open"
      read={(state, part, signal) =>
        dataOf(apiClient.listDiscussionReports({ params: { path, query: { ...part, state } }, signal }))
      }
      empty={() => t("moderation.empty")}
    >
      {(found, again) => (
        <ul class="stack">
          {found.map((one) => (
            <li key={one.id}>
              <ReportCard report={one} route={{ course, offering }} onDecided={again} />
            </li>
          ))}
        </ul>
      )}
    </OfferingTabFilteredByState>
  );
}

type CardProps = { report: Report; route: RouteProps; onDecided: () => void };

function ReportCard({ report, route, onDecided }: CardProps) {
  const { post, review } = report;
  const decide = (is_hidden: boolean) => async () => {
    const body = { is_hidden };
    if (report.post_id !== null)
      await dataOf(apiClient.moderateDiscussionPost({ params: { path: { post_id: report.post_id } }, body }));
    else if (report.review_id !== null)
      await dataOf(
        apiClient.moderateCourseReview({ params: { path: { review_id: report.review_id } }, body }),
      );
    onDecided();
  };
  const text = post?.body ?? review?.review_text;
  const author = post?.user_name ?? review?.user_name ?? t("someone");
  return (
    <article class="card">
      <p>
        <strong>{t("moderation.by", { name: report.user_name })}</strong>{" "}
        <span class="quiet">{formatDayAndTime(report.created_at)}</span>
      </p>
      <p>{report.reason}</p>
      <blockquote class="reported">
        <small>{[author, report.thread_title ?? t("moderation.review")].join(" · ")}</small>
        {text ? <MarkdownWithFormulas source={text} inLines /> : <p class="quiet">{t("post.deleted")}</p>}
        {post && <UploadedFileList files={post.files} label={t("post.files")} />}
      </blockquote>
      {post && (
        <a href={screenHref("teaching", route.course, route.offering, "discussions", post.thread_id)}>
          {t("moderation.thread")}
        </a>
      )}
      {report.outcome ? (
        <p class="quiet">{t(`moderation.${report.outcome}`)}</p>
      ) : (
        <div class="row">
          <ActionButton class="primary" run={decide(true)}>
            {t("post.hide")}
          </ActionButton>
          <ActionButton run={decide(false)}>{t("moderation.keep")}</ActionButton>
        </div>
      )}
    </article>
  );
}
