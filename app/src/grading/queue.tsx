import { dataOf, type Schemas } from "learning-platform-client";
import { allOr, ListedByState } from "../components/listed-by-state.tsx";
import { Table } from "../components/table.tsx";
import { dayAndTime, decimal } from "../format.ts";
import { to } from "../routes.ts";
import { api } from "../service.ts";
import { usePerson } from "../session.tsx";
import { t } from "../texts.ts";
import { MarksBadge } from "./marks.tsx";
import { nameOnRecord } from "./name-on-record.ts";

type Queued = Schemas["QueuedSubmission"];
type RouteProps = { course: string; offering: string };

const states = ["submitted", "graded", "returned"] as const;

/** What was handed in to an offering; at first what waits for its grade. */
export function SubmissionsScreen(route: RouteProps) {
  const path = { offering_id: Number(route.offering) };
  return (
    <ListedByState<Queued["status"] | "", Queued>
      {...route}
      part="submissions"
      title={t("submissions")}
      label={t("submissions.which")}
      states={allOr(states, (state) => t(`work.${state}`))}
      first="submitted"
      read={(status, part, signal) =>
        dataOf(
          api.listSubmissions({ params: { path, query: { ...part, ...(status && { status }) } }, signal }),
        )
      }
      empty={(status) => t(status === "submitted" ? "submissions.done" : "submissions.none")}
    >
      {(found) => <Queue submissions={found} route={route} />}
    </ListedByState>
  );
}

function Queue({ submissions, route }: { submissions: Queued[]; route: RouteProps }) {
  const { profile } = usePerson();
  return (
    <Table
      label={t("submissions")}
      columns={[t("submissions.work"), t("submissions.learner"), t("submissions.at"), t("submissions.state")]}
    >
      {submissions.map((one) => (
        <tr key={one.id}>
          <th scope="row">
            <a href={to("teaching", route.course, route.offering, "submissions", one.id)}>{one.title}</a>
            <small>
              {t("work.attempt", { n: one.attempt_number })}
              {one.group_id !== null && ` · ${t("work.group")}`}
            </small>
          </th>
          <td>{nameOnRecord(one)}</td>
          <td>{dayAndTime(one.submitted_at)}</td>
          <td>
            <span class={`badge ${one.status}`}>{t(`work.${one.status}`)}</span>{" "}
            {one.is_late && <span class="badge waiting">{t("work.late")}</span>} <MarksBadge of={one} />{" "}
            {one.score_obtained !== null && `${decimal(one.score_obtained)} / ${decimal(one.max_score)}`}
            {isClaimed(one) && one.claimed_by_user_id !== profile.id && (
              <small>{t("submissions.claimed")}</small>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Whether somebody looks at it now. */
export const isClaimed = ({ claimed_until }: { claimed_until: string | null }): boolean =>
  claimed_until !== null && new Date(claimed_until) > new Date();
