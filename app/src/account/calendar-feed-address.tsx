import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { day } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";

/** The address of the calendar feed. It works like a password, so it is shown only once. */
export function CalendarFeedAddress() {
  const [address, setAddress] = useState("");
  const state = useQuery((signal) => dataOf(api.getMyCalendar({ signal })), []);
  const create = async () => {
    setAddress((await dataOf(api.createMyCalendarAddress())).url);
    state.again();
  };
  const remove = async () => {
    await dataOf(api.deleteMyCalendarAddress());
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
            {created_at && <span class="quiet">{t("calendar.since", { day: day(created_at) })}</span>}
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
