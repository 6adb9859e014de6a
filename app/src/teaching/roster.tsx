import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { CourseOutlineTree } from "../components/course-outline-tree.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { OfferingTabs } from "../components/offering-tabs.tsx";
import { PagingButtonRow } from "../components/paging-buttons.tsx";
import { PersonRowHeader } from "../components/person-header.tsx";
import { ProgressBar } from "../components/progress.tsx";
import { saveAs } from "../components/save-as.ts";
import { SearchForm } from "../components/search-form.tsx";
import { Table } from "../components/table.tsx";
import { isStaffByLtiLaunch } from "../embed/launched.ts";
import { formatDay, formatNumber } from "../format.ts";
import { GroupFilter } from "../groups/group-choice.tsx";
import { LmsRosterSyncPanel } from "../lti/lms-rosters.tsx";
import { NavigationToolLinks } from "../lti/navigation-tools.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { useMayEditCourse } from "../use-may-edit-course.ts";
import { CourseAndTermLine, useOutline } from "../use-outline.tsx";
import { readRosterCsv } from "./read-roster-csv.ts";
import { WeekAtAGlance } from "./week.tsx";

type RosterProps = { course: string; offering: string };

/** The roster of an offering, with links to each topic's tree. */
export function RosterScreen({ course, offering }: RosterProps) {
  const isAuthor = useMayEditCourse(course);
  const outline = useOutline(course, offering);
  return (
    <QueryBoundary of={outline}>
      {(found) => (
        <>
          <CourseAndTermLine outline={found} />
          <ScreenHeading title={found.course.title} />
          <OfferingTabs course={course} offering={offering} side="teaching" current="" />
          <NavigationToolLinks course={course} offering={offering} />
          <WeekAtAGlance course={course} offering={offering} />
          <Roster course={course} offering={offering} />
          {!isStaffByLtiLaunch() && <LmsRosterSyncPanel offering={Number(offering)} />}
          {!isStaffByLtiLaunch() && (
            <section aria-labelledby="topics">
              <h2 id="topics">{t("teaching.topics")}</h2>
              <p class="quiet">
                {t("teaching.topics.about")}{" "}
                {isAuthor && <a href={screenHref("authoring", course)}>{t("teaching.edit")}</a>}
              </p>
              <CourseOutlineTree
                outline={found}
                linkOf={({ id }) => screenHref("teaching", course, offering, "topics", id)}
              />
            </section>
          )}
        </>
      )}
    </QueryBoundary>
  );
}

const pageSize = 50;

type Order =
  | "full_name"
  | "family_name"
  | "external_id"
  | "progress_percent"
  | "-progress_percent"
  | "-enrolled_at";

function Roster({ course, offering }: RosterProps) {
  const [q, search] = useState("");
  const [sort, order] = useState<Order>("full_name");
  const [limit, setLimit] = useState(pageSize);
  const [group, narrow] = useState("");
  const path = { course_id: Number(course), offering_id: Number(offering) };
  const roster = useQuery(
    async (signal) => {
      const query = { sort, limit: limit + 1, ...(q && { q }), ...(group && { group_id: Number(group) }) };
      const found = await dataOf(
        apiClient.listCourseOfferingEnrollments({ params: { path, query }, signal }),
      );
      return { entries: found.slice(0, limit), isMore: found.length > limit };
    },
    [course, offering, q, sort, group],
    limit,
  );
  const orders: [Order, string][] = [
    ["full_name", t("roster.by.name")],
    ["family_name", t("roster.by.family")],
    ["external_id", t("roster.by.external")],
    ["progress_percent", t("roster.by.least")],
    ["-progress_percent", t("roster.by.most")],
    ["-enrolled_at", t("roster.by.newest")],
  ];
  const save = async () => saveAs("roster.csv", await readRosterCsv(path, { q, group, sort }), "text/csv");
  return (
    <section aria-labelledby="roster">
      <div class="line-head">
        <h2 id="roster">{t("roster")}</h2>
        {!isStaffByLtiLaunch() && (
          <span class="row">
            <a href={screenHref("teaching", course, offering, "enroll")}>{t("enroll.learners")}</a>
            <a href={screenHref("teaching", course, offering, "groups")}>{t("groups")}</a>
            <a href={screenHref("authoring", course, "statistics")}>{t("course.statistics")}</a>
            <a href={screenHref("authoring", course, "exemptions")}>{t("exemptions")}</a>
          </span>
        )}
      </div>
      <SearchForm label={t("roster.search.number")} onSearch={search}>
        <LabeledSelect label={t("roster.order")} value={sort} options={orders} onChoose={order} />
        <GroupFilter offering={offering} value={group} onChoose={narrow} />
      </SearchForm>
      <ActionButton class="quiet" run={save}>
        {t("finishing.csv")}
      </ActionButton>
      <QueryBoundary of={roster}>
        {({ entries, isMore }) => (
          <>
            {entries.length === 0 ? (
              <EmptyMessage>{t("roster.empty")}</EmptyMessage>
            ) : (
              <RosterTable
                entries={entries}
                linkOf={(person) => screenHref("teaching", course, offering, "learners", person)}
              />
            )}
            <PagingButtonRow of={entries} adds>
              {isMore && (
                <ButtonWithFocusFallback onClick={() => setLimit(limit + pageSize)}>
                  {t("more")}
                </ButtonWithFocusFallback>
              )}
            </PagingButtonRow>
          </>
        )}
      </QueryBoundary>
    </section>
  );
}

type TableProps = { entries: Schemas["RosterEntry"][]; linkOf: (person: number) => string };

function RosterTable({ entries, linkOf }: TableProps) {
  return (
    <Table
      label={t("roster.table")}
      columns={[
        t("roster.name"),
        t("roster.status"),
        t("roster.progress"),
        t("roster.items"),
        t("roster.seen"),
      ]}
    >
      {entries.map((one) => (
        <tr key={one.id}>
          <PersonRowHeader person={one} href={linkOf(one.user_id)} />
          <td>
            <span class={`badge ${one.status.toLowerCase()}`}>{t(`status.${one.status}`)}</span>
          </td>
          <td>
            <ProgressBar percent={one.progress_percent} label={t("progress.of", { title: one.full_name })} />
          </td>
          <td>{formatNumber(one.completed_items)}</td>
          <td>{one.last_activity_at ? formatDay(one.last_activity_at) : t("never.seen")}</td>
        </tr>
      ))}
    </Table>
  );
}
