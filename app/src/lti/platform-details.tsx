import { dataOf } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { formatDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Path = { university_id: number; lti_platform_id: number };

/** Deployments of the tool in an LMS. New ones are approved here. */
export function LtiDeploymentsList({ path, onChange }: { path: Path; onChange: () => void }) {
  const deployments = usePagedQuery(
    (query, signal) => dataOf(apiClient.listLtiDeployments({ params: { path, query }, signal })),
    [path.lti_platform_id],
  );
  const changed = () => {
    deployments.query.again();
    onChange();
  };
  const admit = async (deployment_id: string) => {
    await dataOf(apiClient.admitLtiDeployment({ params: { path }, body: { deployment_id } }));
    changed();
  };
  const remove = async (id: number) => {
    await dataOf(apiClient.removeLtiDeployment({ params: { path: { ...path, lti_deployment_id: id } } }));
    changed();
  };
  return (
    <PagedLineList of={deployments} empty={t("lti.deployments.empty")} class="stack">
      {({ id, deployment_id, admitted_at }) => (
        <li class="line-head">
          <span>
            {deployment_id} <small>{admitted_at ? t("lti.admitted") : t("lti.waits")}</small>
          </span>
          {admitted_at ? (
            <ActionButton
              class="quiet"
              label={t("lti.deployments.remove.one", { name: deployment_id })}
              run={() => remove(id)}
            >
              {t("lti.remove")}
            </ActionButton>
          ) : (
            <ActionButton
              label={t("lti.admit.one", { name: deployment_id })}
              run={() => admit(deployment_id)}
            >
              {t("lti.admit")}
            </ActionButton>
          )}
        </li>
      )}
    </PagedLineList>
  );
}

/** LMS identities, most recent first. Wrong links are undone here. */
export function LmsIdentitiesList({ path }: { path: Path }) {
  const people = usePagedQuery(
    (query, signal) => dataOf(apiClient.listLtiPeople({ params: { path, query }, signal })),
    [path.lti_platform_id],
  );
  const unlink = async (id: number, name: string) => {
    if (!confirm(t("lti.unlink.sure", { name }))) return;
    await dataOf(apiClient.unlinkLtiPerson({ params: { path: { ...path, lti_person_id: id } } }));
    people.query.again();
  };
  return (
    <PagedLineList of={people} empty={t("lti.people.empty")} class="stack">
      {({ id, user_id, full_name, told_name, subject, last_launched_at }) => (
        <li class="line-head">
          <span>
            {told_name ?? subject} → {full_name ?? t("lti.unlinked")}{" "}
            <small>{last_launched_at && t("lti.last", { when: formatDay(last_launched_at) })}</small>
          </span>
          {user_id !== null && (
            <ActionButton
              class="quiet"
              label={t("lti.unlink.one", { name: told_name ?? subject })}
              run={() => unlink(id, told_name ?? subject)}
            >
              {t("lti.unlink")}
            </ActionButton>
          )}
        </li>
      )}
    </PagedLineList>
  );
}

/** Rejected launches by day, with the messages shown. */
export function RefusedLaunchesList({ path }: { path: Path }) {
  const refused = usePagedQuery(
    (query, signal) => dataOf(apiClient.listLtiRefusedLaunches({ params: { path, query }, signal })),
    [path.lti_platform_id],
  );
  return (
    <PagedLineList of={refused} empty={t("lti.refused.empty")} class="stack">
      {(one) => (
        <li>
          <p>
            {formatDay(one.day)} · {t("lti.refused.count", { n: one.launches })}
          </p>
          <p class="quiet">{one.words}</p>
          {one.last_request_id && <small>{t("lti.refused.request", { id: one.last_request_id })}</small>}
        </li>
      )}
    </PagedLineList>
  );
}
