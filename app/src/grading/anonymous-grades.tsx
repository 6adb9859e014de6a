import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { saveAs } from "../components/save-as.ts";
import { Table } from "../components/table.tsx";
import { formatToOneDecimal } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { personNameInGrades } from "./person-name-in-grades.ts";
import { fetchGradebookCsv } from "./read-gradebook.ts";

type Row = Schemas["GradebookRow"];
type CodesProps = { offering: number; item: number };

/** Grades of an anonymous item by code, with names once they are released. */
export function AnonymousGradesTable({ offering, item }: CodesProps) {
  const rows = usePagedQuery<Row>(
    async (part, signal) => {
      const query = { ...part, content_item_id: item };
      const params = { path: { offering_id: offering }, query };
      return ((await dataOf(apiClient.readGradebook({ params, signal }))) as Schemas["Gradebook"]).rows;
    },
    [offering, item],
  );
  const save = async () => saveAs("grades-by-code.csv", await fetchGradebookCsv(offering, item), "text/csv");
  return (
    <section class="card" aria-labelledby="codes">
      <h2 id="codes">{t("anonymous.codes")}</h2>
      <p class="quiet">{t("anonymous.about")}</p>
      <PagedList of={rows} empty={t("submissions.none")}>
        {(found) => (
          <Table label={t("anonymous.code")} columns={[t("anonymous.code"), t("attempts.result")]}>
            {found.map((row) => (
              <tr key={row.code ?? row.user_id}>
                <th scope="row">{personNameInGrades(row)}</th>
                <td>{row.cells.map(gradeOf)}</td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
      <div class="row">
        <ActionButton run={save}>{t("anonymous.csv")}</ActionButton>
      </div>
    </section>
  );
}

const gradeOf = ({ score, state }: Row["cells"][number]): string =>
  score === null ? t(`grade.${state}`) : formatToOneDecimal(score);
