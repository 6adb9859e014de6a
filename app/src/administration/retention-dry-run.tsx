import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Table } from "../components/table.tsx";
import { formatDay, formatNumber } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type DryRunProps = { path: { university_id: number }; isSet: boolean; onRead: () => void };

/** Counts by kind what the policy would delete. Nothing is deleted before it was read. */
export function RetentionDryRunCard({ path, isSet, onRead }: DryRunProps) {
  const [counts, setCounts] = useState<Schemas["RetentionCount"][]>();
  const count = async () => {
    setCounts(await dataOf(apiClient.countRetention({ params: { path } })));
    onRead();
  };
  return (
    <section class="card" aria-labelledby="dry-run">
      <h2 id="dry-run">{t("retention.dry.run")}</h2>
      <p class="quiet">{t("retention.dry.run.about")}</p>
      {isSet && (
        <ActionButton run={count} label={t("retention.count")}>
          {t("retention.count")}
        </ActionButton>
      )}
      <div role="status">
        {counts && (
          <Table
            label={t("retention.count")}
            columns={[t("retention.kind"), t("retention.as.of"), t("retention.rows")]}
          >
            {counts.map(({ kind, as_of, rows, is_more }) => (
              <tr key={kind}>
                <th scope="row">{t(`retention.${kind}`)}</th>
                <td>{formatDay(as_of)}</td>
                <td>{is_more ? t("retention.more", { n: formatNumber(rows) }) : formatNumber(rows)}</td>
              </tr>
            ))}
          </Table>
        )}
      </div>
    </section>
  );
}
