import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { Form, readSelectField, readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { stateFilterOptions } from "../components/offering-tab-by-state.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { saveAs } from "../components/save-as.ts";
import { SearchForm } from "../components/search-form.tsx";
import { formatDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

type DataRequest = Schemas["DataRequest"];
type Kind = DataRequest["kind"];
type State = DataRequest["state"];

const kinds: readonly Kind[] = ["EXPORT", "RECTIFY", "ERASE"];
const states: readonly State[] = ["OPEN", "APPROVED", "DONE", "REJECTED"];

/** Data requests of a university. Requires the matching permission. */
export function PersonalDataRequestsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const [q, search] = useState("");
  const [state, choose] = useState<State | "">("");
  const requests = usePagedQuery(
    (page, signal) => {
      const query = { ...page, ...(q && { q }), ...(state && { state }) };
      return dataOf(apiClient.listDataRequests({ params: { path, query }, signal }));
    },
    [university, q, state],
  );
  return (
    <>
      <ScreenHeading title={t("data.requests")} />
      <p class="quiet">{t("data.requests.about")}</p>
      <SearchForm label={t("roster.search.number")} onSearch={search}>
        <LabeledSelect
          label={t("data.requests.state")}
          value={state}
          options={stateFilterOptions(states, (one) => t(`data.requests.${one}`))}
          onChoose={choose}
        />
      </SearchForm>
      <PagedCardList of={requests} empty={t("data.requests.empty")}>
        {(one) => <RequestCard request={one} onChange={requests.query.again} />}
      </PagedCardList>
      <NewRequest path={path} onMade={requests.query.again} />
    </>
  );
}

type NewRequestProps = { path: { university_id: number }; onMade: () => void };

function NewRequest({ path, onMade }: NewRequestProps) {
  const [kind, setKind] = useState<Kind>("EXPORT");
  const make = async (fields: FormData) => {
    const received_on = readTextFieldOrNull(fields, "received_on");
    const names = (["given_name", "family_name", "external_id"] as const).flatMap((name) => {
      const value = readTextFieldOrNull(fields, name);
      return value === null ? [] : [[name, value]];
    });
    const kind = readSelectField<Kind>(fields, "kind");
    const body = {
      ...{ email: readTextField(fields, "email"), kind },
      ...(received_on !== null && { received_on }),
      ...(kind === "RECTIFY" && { correction: Object.fromEntries(names) }),
    };
    await dataOf(apiClient.makeDataRequest({ params: { path }, body }));
    onMade();
  };
  return (
    <NewEntryCard
      id="new-request"
      title={t("data.requests.new")}
      submit={t("data.requests.make")}
      send={make}
    >
      <p class="quiet">{t("data.requests.new.about")}</p>
      <div class="fields">
        <Field name="email" label={t("email")}>
          <input type="email" required />
        </Field>
        <SelectField
          name="kind"
          label={t("data.requests.kind")}
          of={kinds.map((one) => [one, t(`data.requests.${one}`)])}
          chosen={kind}
          onChoose={(one) => setKind(one as Kind)}
        />
        <Field
          name="received_on"
          label={t("data.requests.received")}
          about={t("data.requests.received.about")}
        >
          <input type="date" />
        </Field>
        {kind === "RECTIFY" && (
          <>
            <Field name="given_name" label={t("data.requests.given")}>
              <input maxLength={255} />
            </Field>
            <Field name="family_name" label={t("data.requests.family")}>
              <input maxLength={255} />
            </Field>
            <Field
              name="external_id"
              label={t("data.requests.external")}
              about={t("data.requests.unchanged")}
            >
              <input maxLength={255} />
            </Field>
          </>
        )}
      </div>
    </NewEntryCard>
  );
}

type CardProps = { request: DataRequest; onChange: () => void };

function RequestCard({ request, onChange }: CardProps) {
  const { kind, state, reason, correction } = request;
  return (
    <>
      <h2>
        {nameOf(request)} <small>{t(`data.requests.${kind}`)}</small>
      </h2>
      <p>
        <strong>{t(`data.requests.${state}`)}</strong> · {datesOf(request)}
      </p>
      {correction && (
        <p class="quiet">
          {[correction.given_name, correction.family_name, correction.external_id]
            .filter(Boolean)
            .join(" · ")}
        </p>
      )}
      {reason && <p class="quiet">{t("data.requests.because", { reason })}</p>}
      {state === "OPEN" && <Decision request={request} onChange={onChange} />}
      {isAvailable(request) && <Download request={request} />}
    </>
  );
}

const nameOf = ({ full_name, user_id }: DataRequest): string =>
  full_name ?? t("data.requests.gone", { id: user_id });

/** A date in the university's time zone, independent of the browser's. */
const calendarDay = (date: string): string => formatDay(`${date}T12:00:00`);

function datesOf({
  received_on,
  due_on,
  state,
  made_by_name,
  decided_by_name,
  decided_at,
  done_at,
}: DataRequest) {
  const by = (name: string | null) => name ?? "–";
  return [
    t("data.requests.was.received", { day: calendarDay(received_on), name: by(made_by_name) }),
    ...(state === "OPEN" ? [t("data.requests.due", { day: calendarDay(due_on) })] : []),
    ...(decided_at
      ? [t("data.requests.decided", { day: formatDay(decided_at), name: by(decided_by_name) })]
      : []),
    ...(done_at ? [t("data.requests.was.done", { day: formatDay(done_at) })] : []),
  ].join(" · ");
}

const isAvailable = ({ available_until }: DataRequest): boolean =>
  available_until !== null && new Date(available_until) > new Date();

/** The creator may withdraw the request. Another person must approve it. */
function Decision({ request, onChange }: CardProps) {
  const { profile } = useCurrentUser();
  const [isRejecting, setRejecting] = useState(false);
  const { university_id, id: data_request_id, kind, made_by_user_id } = request;
  const path = { university_id, data_request_id };
  const decide = async (body: Schemas["DataRequestDecision"]) => {
    await dataOf(apiClient.decideDataRequest({ params: { path }, body }));
    onChange();
  };
  const approve = async () => {
    if (confirm(t(`data.requests.sure.${kind}`, { name: nameOf(request) }))) await decide({ approve: true });
  };
  const name = nameOf(request);
  if (isRejecting)
    return (
      <Form
        send={(fields) => decide({ approve: false, reason: readTextField(fields, "reason") })}
        submit={t("data.requests.reject")}
        onCancel={() => setRejecting(false)}
      >
        <Field name="reason" label={t("data.requests.reason")}>
          <input required maxLength={2000} />
        </Field>
      </Form>
    );
  return (
    <div class="row">
      {made_by_user_id === profile.id ? (
        <small>{t("data.requests.four.eyes")}</small>
      ) : (
        <ActionButton run={approve} label={t("data.requests.approve.of", { name })}>
          {t("data.requests.approve")}
        </ActionButton>
      )}
      <ActionButton
        class="quiet"
        run={async () => setRejecting(true)}
        label={t("data.requests.reject.of", { name })}
      >
        {t("data.requests.reject")}
      </ActionButton>
    </div>
  );
}

function Download({ request }: { request: DataRequest }) {
  const { university_id, id: data_request_id, available_until } = request;
  const path = { university_id, data_request_id };
  const download = async () => {
    const held = await dataOf(apiClient.exportDataRequest({ params: { path } }));
    saveAs(`data-${data_request_id}.json`, JSON.stringify(held, null, 2), "application/json");
  };
  return (
    <div class="row">
      <ActionButton run={download} label={t("data.requests.download.of", { name: nameOf(request) })}>
        {t("data.requests.download")}
      </ActionButton>
      <small>{t("data.requests.until", { day: formatDay(available_until ?? "") })}</small>
    </div>
  );
}
