import { dataOf, type Schemas } from "learning-platform-client";
import { dayAndTime, decimal } from "../format.ts";
import { ListedByState } from "../parts/listed-by-state.tsx";
import { to } from "../places.ts";
import { api } from "../service.ts";
import { usePerson } from "../session.tsx";
import { t } from "../texts.ts";

type Queued = Schemas["QueuedSubmission"];
type PlaceProps = { course: string; offering: string };

const states = ["submitted", "graded", "returned"] as const;

/** What was handed in to an offering; at first what waits for its grade. */
export function SubmissionsScreen({ course, offering }: PlaceProps) {
  const path = { offering_id: Number(offering) };
  return (
    <ListedByState<Queued["status"] | "", Queued>
      course={course}
      offering={offering}
      part="submissions"
      title={t("submissions")}
      label={t("submissions.which")}
      states={[["", t("submissions.all")], ...states.map((state) => [state, t(`work.${state}`)] as const)]}
      first="submitted"
      read={(status, part, signal) =>
        dataOf(
          api.listSubmissions({ params: { path, query: { ...part, ...(status && { status }) } }, signal }),
        )
      }
      empty={(status) => t(status === "submitted" ? "submissions.done" : "submissions.none")}
    >
      {(found) => <Queue submissions={found} place={{ course, offering }} />}
    </ListedByState>
  );
}

function Queue({ submissions, place }: { submissions: Queued[]; place: PlaceProps }) {
  const { profile } = usePerson();
  return (
    <section class="table" tabIndex={0} aria-label={t("submissions")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("submissions.work")}</th>
            <th scope="col">{t("submissions.learner")}</th>
            <th scope="col">{t("submissions.at")}</th>
            <th scope="col">{t("submissions.state")}</th>
          </tr>
        </thead>
        <tbody>
          {submissions.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                <a href={to("teaching", place.course, place.offering, "submissions", one.id)}>{one.title}</a>
                <small>{t("work.attempt", { n: one.attempt_number })}</small>
              </th>
              <td>{one.full_name}</td>
              <td>{dayAndTime(one.submitted_at)}</td>
              <td>
                <span class={`badge ${one.status}`}>{t(`work.${one.status}`)}</span>{" "}
                {one.is_late && <span class="badge waiting">{t("work.late")}</span>}{" "}
                {one.score_obtained !== null && `${decimal(one.score_obtained)} / ${decimal(one.max_score)}`}
                {isClaimed(one) && one.claimed_by_user_id !== profile.id && (
                  <small>{t("submissions.claimed")}</small>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Whether somebody looks at it now. */
export const isClaimed = ({ claimed_until }: { claimed_until: string | null }): boolean =>
  claimed_until !== null && new Date(claimed_until) > new Date();
