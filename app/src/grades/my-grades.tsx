import { dataOf, type Schemas } from "learning-platform-client";
import { contentTypeLabel } from "../components/content-type-label.ts";
import { EmptyMessage } from "../components/empty.tsx";
import { OfferingTabLayout } from "../components/offering-tab-layout.tsx";
import { Table } from "../components/table.tsx";
import { formatDay, formatNumber, formatToOneDecimal } from "../format.ts";
import { LateAndDroppedNotes } from "../grading/late-and-dropped-notes.tsx";
import { TextInContentLanguage } from "../markup/text-in-content-language.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Grades = Schemas["OwnGrades"];
type Graded = Grades["items"][number];
type Scheme = Schemas["GradingScheme"];
type Route = { course: string; offering: string };

export function MyGradesScreen({ course, offering }: Route) {
  const params = { path: { offering_id: Number(offering) } };
  const read = useQuery(
    async (signal) => {
      const [grades, scheme] = await Promise.all([
        dataOf(apiClient.readMyGrades({ params, signal })),
        dataOf(apiClient.getGradingScheme({ params, signal })),
      ]);
      return { grades, scheme };
    },
    [offering],
  );
  return (
    <OfferingTabLayout course={course} offering={offering} side="courses" part="grades" title={t("grades")}>
      <QueryBoundary of={read}>
        {({ grades, scheme }) =>
          grades.items.length === 0 ? (
            <EmptyMessage>{t("grades.empty")}</EmptyMessage>
          ) : (
            <>
              <Standing grades={grades} scheme={scheme} />
              {groupsOf(grades, scheme).map(({ name, weight, items }) => (
                <Group key={name} name={name} weight={weight} items={items} route={{ course, offering }} />
              ))}
            </>
          )
        }
      </QueryBoundary>
    </OfferingTabLayout>
  );
}

function Standing({
  grades: { current_percent, current_letter, final },
  scheme,
}: {
  grades: Grades;
  scheme: Scheme;
}) {
  const outcome = final?.passed ? t("quiz.passed") : t("quiz.failed");
  return (
    <div class="tiles">
      <div class="card tile">
        <span>{t("grades.so.far")}</span>
        <strong>{current_percent === null ? "–" : `${formatToOneDecimal(current_percent)} %`}</strong>
        <small>{current_letter ?? t("grades.nothing.yet")}</small>
      </div>
      <div class="card tile">
        <span>{t("grades.final")}</span>
        <strong>{final ? `${formatToOneDecimal(final.final_score)} %` : "–"}</strong>
        <small>
          {final
            ? [final.letter_grade, final.passed !== null && outcome].filter(Boolean).join(" · ")
            : t("grades.open")}
        </small>
        {final?.is_outdated && (
          <small>
            <span class="badge">{t("grades.outdated")}</span> {t("grades.outdated.about")}
          </small>
        )}
      </div>
      {scheme.is_graded && (
        <div class="card tile">
          <span>{t("grades.to.pass")}</span>
          <strong>{formatToOneDecimal(scheme.passing_percent)} %</strong>
        </div>
      )}
    </div>
  );
}

type GroupOfItems = { name: string; weight: number | undefined; items: Graded[] };

/** Items by the scheme's groups, in order, then those without a group. */
function groupsOf({ items }: Grades, { groups }: Scheme): GroupOfItems[] {
  const named = groups.map(({ name, weight }) => ({
    name,
    weight,
    items: items.filter(({ group_name }) => group_name === name),
  }));
  const others = items.filter(({ group_name }) => !groups.some(({ name }) => name === group_name));
  return [...named, { name: t("grades.no.group"), weight: undefined, items: others }].filter(
    (group) => group.items.length > 0,
  );
}

function Group({ name, weight, items, route }: GroupOfItems & { route: Route }) {
  const drops = items[0]?.drop_lowest ?? 0;
  return (
    <Table
      label={name}
      caption={
        <>
          {weight === undefined ? name : <TextInContentLanguage>{name}</TextInContentLanguage>}{" "}
          {weight !== undefined && <small>{t("grades.weight", { weight: formatNumber(weight) })}</small>}
          {drops > 0 && <small> {t("grades.drops", { n: drops })}</small>}
        </>
      }
      columns={[t("grades.item"), t("grades.points"), t("grades.state")]}
    >
      {items.map((item) => (
        <tr key={item.content_item_id}>
          <th scope="row">
            {item.is_tool_column ? (
              <TextInContentLanguage>{item.title}</TextInContentLanguage>
            ) : (
              <a href={screenHref("courses", route.course, route.offering, item.content_item_id)}>
                <TextInContentLanguage>{item.title}</TextInContentLanguage>
              </a>
            )}
            <small>
              {contentTypeLabel(item.content_type)}
              {item.due_at && ` · ${t("due.on", { day: formatDay(item.due_at) })}`}
            </small>
          </th>
          <td>
            {formatToOneDecimal(item.score)} / {formatToOneDecimal(item.max_points)}
            {item.extra_points > 0 && (
              <small>{t("grades.extra", { points: formatToOneDecimal(item.extra_points) })}</small>
            )}
          </td>
          <td>
            {item.is_released && item.state ? t(`grade.${item.state}`) : t("grades.unreleased")}
            {!item.counts && ` · ${t("grades.does.not.count")}`}
            <LateAndDroppedNotes of={item} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
