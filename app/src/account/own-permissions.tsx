import { dataOf } from "learning-platform-client";
import { useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

/** The screen of each permission. */
const screenOf = {
  "accommodation:write": "accommodations",
  "retention:write": "retention",
  "data-request:write": "data-requests",
} as const;

/** The user's permissions beyond roles, each with a link to its screen. */
export function OwnExtraPermissionLinks() {
  const offices = useQuery((signal) => dataOf(apiClient.listMyOffices({ signal })), []);
  if (!offices.value?.length) return null;
  return (
    <section class="card" aria-labelledby="offices">
      <h2 id="offices">{t("offices.own")}</h2>
      <ul class="lines">
        {offices.value.map(({ university_id, university_name, right }) => (
          <li key={`${university_id} ${right}`}>
            <a href={screenHref(screenOf[right], university_id)}>{t(`office.${right}`)}</a>
            <small>{university_name}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
