import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type ReleasesProps = {
  offering: number;
  columns: Schemas["Gradebook"]["columns"];
  onReleased: () => void;
};

export function GradeReleaseControls({ offering, columns, onReleased }: ReleasesProps) {
  if (columns.length === 0) return null;
  const release = (body: Schemas["GradeRelease"]) => async () => {
    await dataOf(apiClient.releaseGrades({ params: { path: { offering_id: offering } }, body }));
    onReleased();
  };
  return (
    <section class="card" aria-labelledby="releases">
      <h2 id="releases">{t("releases")}</h2>
      <p class="quiet">{t("releases.about")}</p>
      <ul class="lines">
        {columns.map(({ content_item_id, title, is_released }) => (
          <li key={content_item_id}>
            <span>
              {title}{" "}
              <span class={is_released ? "badge completed" : "badge"}>
                {t(is_released ? "releases.released" : "gradebook.unreleased")}
              </span>
            </span>
            <ActionButton
              class="quiet"
              run={release({ content_item_ids: [content_item_id], released: !is_released })}
              named={{ text: is_released ? "releases.withdraw.of" : "releases.release.of", title }}
            >
              {t(is_released ? "releases.withdraw" : "releases.release")}
            </ActionButton>
          </li>
        ))}
      </ul>
      {columns.some(({ is_released }) => !is_released) && (
        <ActionButton run={release({ released: true })}>{t("releases.all")}</ActionButton>
      )}
    </section>
  );
}
