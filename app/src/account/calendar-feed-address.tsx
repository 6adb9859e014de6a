import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { formatDay } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

/** The address of the calendar feed. It works like a password, so it is shown only once. */
export function CalendarFeedAddressSettings() {
  const [address, setAddress] = useState("");
  const state = useQuery((signal) => dataOf(apiClient.getMyCalendar({ signal })), []);
  const create = async () => {
    setAddress((await dataOf(apiClient.createMyCalendarAddress())).url);
    state.again();
  };
  const remove = async () => {
    await dataOf(apiClient.deleteMyCalendarAddress());
    setAddress("");
    state.again();
  };
  return (
    <section class="card" aria-labelledby="calendar">
      <h2 id="calendar">{t("calendar")}</h2>
      <p class="quiet">{t("calendar.about")}</p>
      {address && (
        <label>
          {t("calendar.address")}
          <input readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      <QueryBoundary of={state}>
        {({ created_at }) => (
          <div class="row">
            {created_at && <span class="quiet">{t("calendar.since", { day: formatDay(created_at) })}</span>}
            <ActionButton run={create}>{t(created_at ? "calendar.anew" : "calendar.create")}</ActionButton>
            {created_at && (
              <ActionButton class="quiet" run={remove}>
                {t("calendar.end")}
              </ActionButton>
            )}
          </div>
        )}
      </QueryBoundary>
    </section>
  );
}
