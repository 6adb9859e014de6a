import type { Schemas } from "learning-platform-client";
import { Table } from "../components/table.tsx";
import { formatNumber } from "../format.ts";
import { t } from "../texts.ts";

/** Results of attacks that try to extract keys, notes or the prompt, by kind. */
export function TrialLeaksTable({ leaks }: Pick<Schemas["TrialReport"], "leaks">) {
  if (leaks.length === 0) return null;
  return (
    <section class="card" aria-labelledby="leaks">
      <h2 id="leaks">{t("trial.leaks")}</h2>
      <Table label={t("trial.leaks.by")} columns={[t("trial.attack"), t("trial.attacks"), t("trial.leaked")]}>
        {leaks.map(({ category, attacks, leaked }) => (
          <tr key={category}>
            <th scope="row">{t(`trial.attack.${category}`)}</th>
            <td>{formatNumber(attacks)}</td>
            <td>{formatNumber(leaked)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
