import { dataOf, type Schemas } from "learning-platform-client";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { Table } from "../components/table.tsx";
import { formatFractionAsPercent, formatNumber } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Statistics = Schemas["QuestionStatistics"];

/** Question statistics from graded attempts. */
export const PoolQuestionStatistics = ({ pool }: { pool: number }) => (
  <LazyDisclosureCard label={t("statistics")}>{() => <QuestionTable pool={pool} />}</LazyDisclosureCard>
);

function QuestionTable({ pool }: { pool: number }) {
  const path = { question_pool_id: pool };
  const statistics = usePagedQuery(
    (part, signal) => dataOf(apiClient.readQuestionStatistics({ params: { path, query: part }, signal })),
    [pool],
  );
  return (
    <>
      <p class="quiet">{t("statistics.about")}</p>
      <PagedList of={statistics} empty={t("statistics.none")}>
        {(found) => (
          <Table
            label={t("statistics.table")}
            columns={[
              t("statistics.question"),
              t("statistics.drawn"),
              t("statistics.facility"),
              t("statistics.discrimination"),
              t("statistics.choices"),
            ]}
          >
            {found.map((one) => (
              <tr key={`${one.question_id} ${one.version}`}>
                <th scope="row">
                  {one.question_text}
                  <small>{t("statistics.version", { n: one.version })}</small>
                </th>
                <td>
                  {formatNumber(one.drawn)}
                  {one.unanswered > 0 && <small>{t("statistics.unanswered", { n: one.unanswered })}</small>}
                </td>
                <td>{formatFractionAsPercent(one.facility)}</td>
                <td>{one.discrimination === null ? "–" : formatNumber(one.discrimination)}</td>
                <td>{choicesOf(one)}</td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
    </>
  );
}

const choicesOf = ({ choices }: Statistics): string =>
  choices.map(({ choice, chosen }) => `${choice}: ${formatNumber(chosen)}`).join(", ") || "–";
