import { dataOf } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { saveAs } from "../components/save-as.ts";
import { Table } from "../components/table.tsx";
import { formatDayAndTime, formatSecondsAsMinutes } from "../format.ts";
import { describeScormResult } from "../scorm/scorm-result.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { fetchAllCsvPages } from "./read-gradebook.ts";

type AttemptsProps = { offering: number; item: number };

/** Attempts of a class at a SCORM package, and their export. */
export function ScormAttemptsList({ offering, item }: AttemptsProps) {
  const path = { offering_id: offering, scorm_item_id: item };
  const attempts = usePagedQuery(
    (query, signal) => dataOf(apiClient.listScormAttempts({ params: { path, query }, signal })),
    [offering, item],
  );
  const save = async () => {
    const text = await fetchAllCsvPages((window) => {
      const query = { format: "csv", ...window } as const;
      return dataOf<unknown>(apiClient.listScormAttempts({ params: { path, query }, parseAs: "text" }));
    });
    saveAs("scorm-attempts.csv", text, "text/csv");
  };
  return (
    <section class="card" aria-labelledby="attempts">
      <h2 id="attempts">{t("attempts")}</h2>
      <PagedList of={attempts} empty={t("attempts.none")}>
        {(found) => (
          <>
            <Table
              label={t("attempts.table")}
              columns={[
                ...[t("roster.name"), t("attempts.which"), t("scorm.last")],
                ...[t("scorm.time"), t("attempts.result")],
              ]}
            >
              {found.map((one) => (
                <tr key={one.id}>
                  <th scope="row">{one.full_name ?? one.user_id}</th>
                  <td>{one.attempt_number}</td>
                  <td>{formatDayAndTime(one.committed_at ?? one.started_at)}</td>
                  <td>{formatSecondsAsMinutes(one.total_seconds)}</td>
                  <td>{describeScormResult(one)}</td>
                </tr>
              ))}
            </Table>
            <ActionButton run={save}>{t("scorm.csv")}</ActionButton>
          </>
        )}
      </PagedList>
    </section>
  );
}
