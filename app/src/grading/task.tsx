import { dataOf, type Schemas } from "learning-platform-client";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { ContentDataView } from "../content/content-body.tsx";
import { formatDayAndTime, formatToOneDecimal } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Submission = Schemas["Submission"];

export const TaskDescription = ({ item }: { item: Schemas["ContentItem"] }) => (
  <LazyDisclosureCard label={t("grader.task")} isOpen>
    {() => (
      <>
        {item.description && <MarkdownWithFormulas source={item.description} byStaff />}
        <ContentDataView kind={item.content_type.name} data={item.data_json} title={item.title} />
      </>
    )}
  </LazyDisclosureCard>
);

type EarlierProps = { submission: Submission; route: { course: string; offering: string } };

export function LearnerSubmissionsForItem({ submission: one, route }: EarlierProps) {
  const person = one.user_id === null ? { q: one.code ?? "" } : { user_id: one.user_id };
  const query = { ...person, content_item_id: one.content_item_id, limit: 100 };
  const attempts = useQuery(
    (signal) =>
      dataOf(
        apiClient.listSubmissions({
          params: { path: { offering_id: one.course_offering_id }, query },
          signal,
        }),
      ),
    [one.course_offering_id, one.user_id, one.code, one.content_item_id],
  );
  return (
    <QueryBoundary of={attempts}>
      {(found) =>
        found.length > 1 && (
          <section class="card" aria-labelledby="attempts">
            <h2 id="attempts">{t("grader.attempts")}</h2>
            <ul class="lines">
              {found.map(({ id, attempt_number, submitted_at, status, score_obtained, max_score }) => (
                <li key={id}>
                  <a
                    href={screenHref("teaching", route.course, route.offering, "submissions", id)}
                    aria-current={id === one.id ? "page" : undefined}
                  >
                    {t("work.attempt", { n: attempt_number })}
                  </a>
                  <span class="quiet">{formatDayAndTime(submitted_at)}</span>
                  <span>
                    {score_obtained === null
                      ? t(`work.${status}`)
                      : t("quiz.result", {
                          score: formatToOneDecimal(score_obtained),
                          max: formatToOneDecimal(max_score),
                        })}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </QueryBoundary>
  );
}
