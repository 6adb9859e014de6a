import { allOf } from "learning-platform-client";
import { useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { describeAccommodation } from "./accommodation-in-words.ts";

/** Accommodations in the class. Deadlines already include them. */
export function ClassAccommodationsList({ offering }: { offering: string }) {
  const params = { path: { offering_id: Number(offering) } };
  const given = useQuery(
    (signal) => allOf(apiClient.listOfferingAccommodations, { params, signal }),
    [offering],
  );
  if (!given.value?.length) return null;
  return (
    <section class="card" aria-labelledby="more-time">
      <h2 id="more-time">{t("more.time")}</h2>
      <p class="quiet">{t("more.time.there")}</p>
      <ul class="lines">
        {given.value.map((one) => (
          <li key={one.user_id}>
            <span>{one.full_name}</span>
            <span class="quiet">{describeAccommodation(one)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
