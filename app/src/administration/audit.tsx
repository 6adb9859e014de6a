import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { Table } from "../components/table.tsx";
import { formatDayAndTime } from "../format.ts";
import { fragmentParameter, screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";
import { auditActionNames } from "./audit-actions.ts";
import { UniversityOrPlatformAdministrationLayout } from "./university-layout.tsx";

type Event = Schemas["AuditEvent"];

/** The audit log of a university, or of everything the caller may read. `?user=` and `?action=` in the address filter it. */
export function AuditScreen({ university }: { university?: string }) {
  return (
    <UniversityOrPlatformAdministrationLayout university={university} part="audit" title={t("audit")}>
      <Log university={university ? Number(university) : undefined} />
    </UniversityOrPlatformAdministrationLayout>
  );
}

function Log({ university }: { university: number | undefined }) {
  const named = fragmentParameter(location.hash, "action");
  const [action, setAction] = useState<Event["action"] | "">(
    auditActionNames.find((name) => name === named) ?? "",
  );
  const person = Number(fragmentParameter(location.hash, "user"));
  // Account events belong to no university, so a person's log is not filtered by one.
  const filters = {
    ...(person > 0 ? { user_id: person } : university !== undefined && { university_id: university }),
    ...(action && { action }),
  };
  const events = usePagedQuery(
    (part, signal) => dataOf(apiClient.getAudit({ params: { query: { ...part, ...filters } }, signal })),
    [filters],
  );
  const route = ["administration", ...(university === undefined ? [] : [university]), "audit"];
  return (
    <>
      <p class="quiet">{t("audit.about")}</p>
      <div class="filters">
        <LabeledSelect
          label={t("audit.action")}
          value={action}
          options={[["", t("any")], ...withTranslatedLabels("audit", auditActionNames)]}
          onChoose={setAction}
        />
        {person > 0 && <a href={screenHref(...route)}>{t("audit.everyone")}</a>}
      </div>
      <PagedList of={events} empty={t("audit.empty")}>
        {(found) => <EventTable events={found} linkOf={(id) => `${screenHref(...route)}?user=${id}`} />}
      </PagedList>
    </>
  );
}

type TableProps = { events: Event[]; linkOf: (person: number) => string };

function EventTable({ events, linkOf }: TableProps) {
  const named = (id: number | null, name: string | null) =>
    id === null ? "–" : <a href={linkOf(id)}>{name ?? t("audit.person", { id })}</a>;
  return (
    <Table
      label={t("audit")}
      columns={[t("audit.when"), t("audit.action"), t("audit.by"), t("audit.to"), t("audit.details")]}
    >
      {events.map((one) => (
        <tr key={one.id}>
          <td>{formatDayAndTime(one.occurred_at)}</td>
          <th scope="row">{t(`audit.${one.action}`)}</th>
          <td>
            {named(one.actor_id, one.actor_name)}
            {one.from_address && <small> {one.from_address}</small>}
          </td>
          <td>{named(one.subject_id, one.subject_name)}</td>
          <td>{wordsOf(one.details)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Formats event details as `role: ta, department_id: 3`. */
const wordsOf = (details: Event["details"]): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
