import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { OfferingTabFilteredByState, stateFilterOptions } from "../components/offering-tab-by-state.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { Table } from "../components/table.tsx";
import { formatDayAndTime, formatToOneDecimal } from "../format.ts";
import { GroupFilter } from "../groups/group-choice.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { useOutline } from "../use-outline.tsx";
import { DoubleMarkingBadge } from "./double-marking.tsx";
import { personNameInGrades } from "./person-name-in-grades.ts";

type Queued = Schemas["QueuedSubmission"];
type RouteProps = { course: string; offering: string };

const states = ["submitted", "graded", "returned"] as const;

export function SubmissionsScreen(route: RouteProps) {
  const path = { offering_id: Number(route.offering) };
  const [q, search] = useState("");
  const [group, narrow] = useState("");
  const [item, choose] = useState("");
  const [late, setLate] = useState<Lateness>("");
  const narrowed = {
    ...(q && { q }),
    ...(group && { group_id: Number(group) }),
    ...(item && { content_item_id: Number(item) }),
    ...(late && { is_late: late === "late" }),
  };
  return (
    <OfferingTabFilteredByState<Queued["status"] | "", Queued>
      {...route}
      part="submissions"
      title={t("submissions")}
      label={t("submissions.which")}
      states={stateFilterOptions(states, (state) => t(`work.${state}`))}
      first="submitted"
      read={(status, part, signal) => {
        const query = { ...part, ...narrowed, one_of_group: true, ...(status && { status }) };
        return dataOf(apiClient.listSubmissions({ params: { path, query }, signal }));
      }}
      keys={[q, group, item, late]}
      above={() => <SearchForm label={t("roster.search.number")} onSearch={search} />}
      filters={
        <>
          <GroupFilter offering={route.offering} value={group} onChoose={narrow} />
          <ItemChoice {...route} value={item} onChoose={choose} />
          <LabeledSelect label={t("queue.late")} value={late} options={latenesses()} onChoose={setLate} />
        </>
      }
      empty={(status) => t(status === "submitted" ? "submissions.done" : "submissions.none")}
    >
      {(found) => <Queue submissions={found} route={route} />}
    </OfferingTabFilteredByState>
  );
}

type Lateness = "" | "late" | "on time";

const latenesses = (): [Lateness, string][] => [
  ["", t("queue.late.any")],
  ["late", t("queue.late.only")],
  ["on time", t("queue.late.not")],
];

type ItemChoiceProps = RouteProps & { value: string; onChoose: (item: string) => void };

/** Filters by assignment. Hidden if there is only one. */
function ItemChoice({ course, offering, value, onChoose }: ItemChoiceProps) {
  const outline = useOutline(course, offering);
  const items = (outline.value?.modules ?? [])
    .flatMap((module) => module.items)
    .filter(({ content_type }) => content_type === "assignment" || content_type === "engineering_lab");
  if (items.length < 2) return null;
  const options: [string, string][] = items.map(({ id, title }) => [String(id), title]);
  return (
    <LabeledSelect
      label={t("queue.item")}
      value={value}
      options={[["", t("queue.item.any")], ...options]}
      onChoose={onChoose}
    />
  );
}

function Queue({ submissions, route }: { submissions: Queued[]; route: RouteProps }) {
  const { profile } = useCurrentUser();
  return (
    <Table
      label={t("submissions")}
      columns={[t("submissions.work"), t("submissions.learner"), t("submissions.at"), t("submissions.state")]}
    >
      {submissions.map((one) => (
        <tr key={one.id}>
          <th scope="row">
            <a href={screenHref("teaching", route.course, route.offering, "submissions", one.id)}>
              {one.title}
            </a>
            <small>
              {t("work.attempt", { n: one.attempt_number })}
              {one.group_id !== null && ` · ${t("work.group")}`}
            </small>
          </th>
          <td>
            {one.group_name !== null && one.graded_with ? (
              <>
                {one.group_name}
                <small>{t("queue.group", { name: personNameInGrades(one), others: one.graded_with })}</small>
              </>
            ) : (
              personNameInGrades(one)
            )}
          </td>
          <td>{formatDayAndTime(one.submitted_at)}</td>
          <td>
            <span class={`badge ${one.status}`}>{t(`work.${one.status}`)}</span>{" "}
            {one.is_late && <span class="badge waiting">{t("work.late")}</span>}{" "}
            <DoubleMarkingBadge of={one} />{" "}
            {one.score_obtained !== null &&
              `${formatToOneDecimal(one.score_obtained)} / ${formatToOneDecimal(one.max_score)}`}
            {isClaimedByGrader(one) && one.claimed_by_user_id !== profile.id && (
              <small>{t("submissions.claimed")}</small>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Whether a grader has a claim. */
export const isClaimedByGrader = ({ claimed_until }: { claimed_until: string | null }): boolean =>
  claimed_until !== null && new Date(claimed_until) > new Date();
