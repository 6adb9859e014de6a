import { dataOf, type Schemas } from "learning-platform-client";
import { formatDeadlineOmittingDayEnd } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { InactiveLearnersList, WaitingCountLink } from "./offering-to-do-card.tsx";

type Week = Schemas["OfferingWeek"];
type WeekProps = { course: string; offering: string };

/** Weekly overview: deadlines and submissions, inactive learners and questions. */
export function WeekAtAGlance({ course, offering }: WeekProps) {
  const path = { course_id: Number(course), offering_id: Number(offering) };
  const week = useQuery(
    (signal) => dataOf(apiClient.getCourseOfferingWeek({ params: { path }, signal })),
    [course, offering],
  );
  const way = (...parts: (string | number)[]) => screenHref("teaching", course, offering, ...parts);
  return (
    <section class="card" aria-labelledby="week">
      <h2 id="week">{t("week")}</h2>
      <QueryBoundary of={week}>
        {(found) => (
          <>
            <Due week={found} />
            <ul class="lines">
              <li>
                <a href={way("discussions")}>{t("week.threads", { n: found.new_threads })}</a>
              </li>
              <WaitingCountLink
                of={found.unanswered_threads}
                words="teaching.unanswered"
                href={way("discussions")}
              />
              <WaitingCountLink of={found.handovers} words="teaching.handovers" href={way("tutor")} />
              <li>
                <a href={way("tutor")}>
                  {t("week.tutor", { n: found.tutor.sessions, people: found.tutor.people })}
                </a>
              </li>
            </ul>
            {found.inactive.count > 0 && (
              <InactiveLearnersList stuck={found.inactive} wayTo={(person) => way("learners", person)} />
            )}
          </>
        )}
      </QueryBoundary>
    </section>
  );
}

function Due({ week: { due, learners } }: { week: Week }) {
  if (due.length === 0) return <p class="quiet">{t("week.nothing.due")}</p>;
  return (
    <ul class="lines">
      {due.map(({ content_item_id, title, due_at, handed_in }) => (
        <li key={content_item_id}>
          <span>
            {title} <small>{t("due.on", { day: formatDeadlineOmittingDayEnd(due_at) })}</small>
          </span>
          <span>{t("week.handed.in", { n: handed_in, all: learners })}</span>
        </li>
      ))}
    </ul>
  );
}
