import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { formatDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Path = { course_id: number; offering_id: number };

export function BoundLtiContextsList({ path }: { path: Path }) {
  const contexts = usePagedQuery(
    (query, signal) => dataOf(apiClient.listLtiContexts({ params: { path, query }, signal })),
    [path.offering_id],
  );
  return (
    <section class="stack">
      <h3>{t("lti.contexts")}</h3>
      <PagedCardList of={contexts} empty={t("lti.contexts.empty")}>
        {(one) => <ContextView context={one} path={path} onChange={contexts.query.again} />}
      </PagedCardList>
    </section>
  );
}

type ViewProps = { context: Schemas["LtiContext"]; path: Path; onChange: () => void };

function ContextView({ context, path, onChange }: ViewProps) {
  const { id, title, platform_name, people, staff, last_launched_at } = context;
  const unbind = async () => {
    if (!confirm(t("lti.contexts.unbind.sure", { course: title }))) return;
    await dataOf(apiClient.unbindLtiContext({ params: { path: { ...path, lti_context_id: id } } }));
    onChange();
  };
  return (
    <>
      <div class="line-head">
        <strong>{title}</strong>
        <span class="quiet">{platform_name}</span>
      </div>
      <p class="quiet">
        {t("lti.contexts.counts", { people, staff })}
        {last_launched_at && ` · ${t("lti.last", { when: formatDay(last_launched_at) })}`}
      </p>
      <ActionButton class="quiet" label={t("lti.contexts.unbind.one", { course: title })} run={unbind}>
        {t("lti.contexts.unbind")}
      </ActionButton>
    </>
  );
}
