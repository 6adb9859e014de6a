import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { usePolling } from "../components/polling.ts";
import { formatDayAndTime } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Source = Schemas["OneRosterSource"];
type SourcesProps = { university: number; onShow: (importId: number) => void };

const fields = [
  ["name", "one.roster.name", "text", 255],
  ["service_url", "one.roster.service", "url", 2000],
  ["token_url", "one.roster.token", "url", 2000],
  ["client_id", "one.roster.client", "text", 255],
  ["client_secret", "one.roster.secret", "password", 1000],
] as const;

function inputOf(type: (typeof fields)[number][2], maxLength: number) {
  if (type === "url") return <input type="url" maxLength={maxLength} required />;
  return type === "password" ? (
    <input type="password" maxLength={maxLength} autocomplete="off" required />
  ) : (
    <input maxLength={maxLength} required />
  );
}

/** OneRoster services that the university imports from, with the state of each. */
export function ManageOneRosterSources({ university, onShow }: SourcesProps) {
  const path = { university_id: university };
  const sources = usePagedQuery(
    (query, signal) => dataOf(apiClient.listOneRosterSources({ params: { path, query }, signal })),
    [university],
  );
  usePolling(sources.query, sources.query.value?.some(({ state }) => state === "REQUESTED") ?? false);
  const add = async (form: FormData) => {
    const [name, service_url, token_url, client_id, client_secret] = fields.map(([field]) =>
      readTextField(form, field),
    ) as [string, string, string, string, string];
    const body = { name, service_url, token_url, client_id, client_secret };
    await dataOf(apiClient.createOneRosterSource({ params: { path }, body }));
    sources.query.again();
  };
  return (
    <>
      <p class="quiet">{t("one.roster.about")}</p>
      <PagedCardList of={sources} empty={t("one.roster.empty")}>
        {(one) => <SourceCard source={one} onChange={sources.query.again} onShow={onShow} />}
      </PagedCardList>
      <NewEntryCard id="new-one-roster" title={t("one.roster.new")} submit={t("one.roster.add")} send={add}>
        {fields.map(([name, label, type, maxLength]) => (
          <Field key={name} name={name} label={t(label)}>
            {inputOf(type, maxLength)}
          </Field>
        ))}
      </NewEntryCard>
    </>
  );
}

type CardProps = { source: Source; onChange: () => void; onShow: (importId: number) => void };

function SourceCard({ source, onChange, onShow }: CardProps) {
  const { id, university_id, name, service_url, state, due_at, import_id } = source;
  const params = { path: { university_id, one_roster_source_id: id } };
  const sync = (mode: Source["mode"]) => async () => {
    await dataOf(apiClient.requestOneRosterSync({ params, body: { mode } }));
    onChange();
  };
  const remove = async () => {
    if (!confirm(t("one.roster.remove.sure", { name }))) return;
    await dataOf(apiClient.removeOneRosterSource({ params }));
    onChange();
  };
  return (
    <>
      <div class="line-head">
        <strong>{name}</strong>
        <span class="quiet">{t("one.roster.next", { when: formatDayAndTime(due_at) })}</span>
      </div>
      <p class="quiet">{service_url}</p>
      <p role="status">{stateOf(source)}</p>
      <div class="row">
        {state === "UNCONFIRMED" && (
          <ActionButton run={sync("CONFIRMED")}>{t("one.roster.confirm")}</ActionButton>
        )}
        <ActionButton class="quiet" run={sync("CHANGES")}>
          {t("one.roster.sync")}
        </ActionButton>
        <ActionButton class="quiet" run={sync("PREVIEW")}>
          {t("one.roster.preview")}
        </ActionButton>
        <ActionButton class="quiet" run={sync("FULL")}>
          {t("one.roster.full")}
        </ActionButton>
        {import_id !== null && (
          <ButtonWithFocusFallback class="quiet" onClick={() => onShow(import_id)}>
            {t("imports.show")}
          </ButtonWithFocusFallback>
        )}
        <ActionButton class="quiet" run={remove}>
          {t("one.roster.remove")}
        </ActionButton>
      </div>
    </>
  );
}

function stateOf({ state, ended_at, failure, removals }: Source): string {
  if (state === "UNCONFIRMED") return t("one.roster.UNCONFIRMED", { count: removals ?? 0 });
  if (state === "REQUESTED" || ended_at === null) return t("one.roster.REQUESTED");
  const when = formatDayAndTime(ended_at);
  return state === "FAILED"
    ? t("one.roster.FAILED", { when, why: failure ?? "" })
    : t(`one.roster.${state}`, { when });
}
