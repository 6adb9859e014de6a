import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { Table } from "../components/table.tsx";
import { QuizAttemptResult } from "../content/attempt-result.tsx";
import { formatDayAndTime, formatToOneDecimal } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { personNameInGrades } from "./person-name-in-grades.ts";
import { RegradeQuizPanel } from "./regrade.tsx";
import { readSubmissionAuthor } from "./submission-author.ts";

type AttemptsProps = { course: string; offering: string; item: number };

/** Attempts at a quiz. They can be regraded after its questions were corrected. */
export function QuizAttemptsList({ course, offering, item }: AttemptsProps) {
  const [q, search] = useState("");
  const path = { offering_id: Number(offering), content_item_id: item };
  const attempts = usePagedQuery(
    (part, signal) =>
      dataOf(
        apiClient.listQuizAttempts({
          params: { path, query: { ...part, sort: "full_name", ...(q && { q }) } },
          signal,
        }),
      ),
    [offering, item, q],
  );
  return (
    <section class="card" aria-labelledby="attempts">
      <h2 id="attempts">{t("attempts")}</h2>
      <SearchForm label={t("roster.search")} onSearch={search} />
      <PagedList of={attempts} empty={t("attempts.none")}>
        {(found) => (
          <Table
            label={t("attempts.table")}
            columns={[t("roster.name"), t("attempts.which"), t("attempts.ended"), t("attempts.result")]}
          >
            {found.map((one) => (
              <tr key={one.id}>
                <th scope="row">{personNameInGrades(one)}</th>
                <td>
                  <a href={screenHref("teaching", course, offering, "attempts", one.id)}>
                    {t("work.attempt", { n: one.attempt_number })}
                    <span class="unseen"> {personNameInGrades(one)}</span>
                  </a>
                </td>
                <td>
                  {one.submitted_at ? formatDayAndTime(one.submitted_at) : t("attempts.open")}
                  {one.timed_out && <small>{t("attempts.timed.out")}</small>}
                </td>
                <td>
                  {one.score_obtained === null
                    ? "–"
                    : `${formatToOneDecimal(one.score_obtained)} / ${formatToOneDecimal(one.max_score)}`}
                  {one.passed !== null && ` · ${t(one.passed ? "quiz.passed" : "quiz.failed")}`}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
      <RegradeQuizPanel path={path} onRegraded={attempts.query.again} />
    </section>
  );
}

type AttemptProps = { course: string; offering: string; attempt: string };

/** A learner's answers in an attempt, with the correct ones once it is closed. */
export function QuizAttemptScreen({ course, offering, attempt }: AttemptProps) {
  const query = useQuery(
    async (signal) => {
      const found = await dataOf(
        apiClient.getQuizAttempt({ params: { path: { attempt_id: Number(attempt) } }, signal }),
      );
      const learner = await readSubmissionAuthor(found.user_id, signal);
      return { found, name: personNameInGrades({ ...found, full_name: learner?.full_name ?? null }) };
    },
    [attempt],
  );
  return (
    <QueryBoundary of={query}>
      {({ found, name }) => (
        <>
          <BackLink route={["teaching", course, offering, "items", found.content_item_id]}>
            {t("attempts")}
          </BackLink>
          <ScreenHeading title={`${name} · ${t("work.attempt", { n: found.attempt_number })}`} />
          {found.submitted_at ? (
            <QuizAttemptResult attempt={found} />
          ) : (
            <p class="quiet">{t("attempts.open")}</p>
          )}
        </>
      )}
    </QueryBoundary>
  );
}
