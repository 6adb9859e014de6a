import { dataOf, type Schemas } from "learning-platform-client";
import { EmptyMessage } from "../components/empty.tsx";
import { formatDayAndTime } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type PersonEventsProps = { university: number; person: number; action?: Schemas["AuditEvent"]["action"] };

const maxPersonEventsShown = 8;

/** The latest events of a person's audit log, or only their sign-ins. */
export function PersonRecentAuditEvents({ university, person, action }: PersonEventsProps) {
  const query = { user_id: person, limit: maxPersonEventsShown, ...(action && { action }) };
  const events = useQuery(
    (signal) => dataOf(apiClient.getAudit({ params: { query }, signal })),
    [person, action],
  );
  const id = `person-${action ?? "audit"}`;
  const all = new URLSearchParams({ user: String(person), ...(action && { action }) });
  return (
    <section class="card" aria-labelledby={id}>
      <div class="line-head">
        <h2 id={id}>{t(action ? "person.sign.ins" : "audit")}</h2>
        <a href={`${screenHref("administration", university, "audit")}?${all}`}>{t("person.all.events")}</a>
      </div>
      <QueryBoundary of={events}>
        {(found) =>
          found.length === 0 ? (
            <EmptyMessage>{t("audit.empty")}</EmptyMessage>
          ) : (
            <ul class="lines">
              {found.map((one) => (
                <li key={one.id}>
                  <span>
                    {action ? formatDayAndTime(one.occurred_at) : t(`audit.${one.action}`)}{" "}
                    {!action && one.actor_id !== person && <small>{one.actor_name}</small>}
                  </span>
                  <small>{action ? one.from_address : formatDayAndTime(one.occurred_at)}</small>
                </li>
              ))}
            </ul>
          )
        }
      </QueryBoundary>
    </section>
  );
}
