import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { formatDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

/** Staff of an offering by LTI launch. Course authors can remove and readmit them. */
export function StaffByLtiLaunchList({ offering }: { offering: number }) {
  const staff = usePagedQuery(
    (query, signal) =>
      dataOf(apiClient.listOfferingStaff({ params: { path: { offering_id: offering }, query }, signal })),
    [offering],
  );
  return (
    <section class="stack">
      <h3>{t("lti.staff")}</h3>
      <PagedCardList of={staff} empty={t("lti.staff.empty")}>
        {(one) => <StaffView person={one} offering={offering} onChange={staff.query.again} />}
      </PagedCardList>
    </section>
  );
}

type ViewProps = { person: Schemas["OfferingStaff"]; offering: number; onChange: () => void };

function StaffView({ person, offering, onChange }: ViewProps) {
  const { id, full_name: name, removed_at } = person;
  const update = async (is_removed: boolean) => {
    if (is_removed && !confirm(t("lti.staff.remove.sure", { name }))) return;
    const path = { offering_id: offering, offering_staff_id: id };
    await dataOf(apiClient.updateOfferingStaff({ params: { path }, body: { is_removed } }));
    onChange();
  };
  return (
    <>
      <div class="line-head">
        <strong>{name}</strong>
        {removed_at && <span class="quiet">{t("lti.staff.removed", { day: formatDay(removed_at) })}</span>}
      </div>
      <p class="quiet">{placeOf(person)}</p>
      {removed_at ? (
        <ActionButton class="quiet" label={t("lti.staff.readmit.one", { name })} run={() => update(false)}>
          {t("lti.staff.readmit")}
        </ActionButton>
      ) : (
        <ActionButton class="quiet" label={t("lti.staff.remove.one", { name })} run={() => update(true)}>
          {t("lti.staff.remove")}
        </ActionButton>
      )}
    </>
  );
}

function placeOf({ role, context_title: course, platform_name: platform }: Schemas["OfferingStaff"]): string {
  const of = { role: t(`role.${role}`) };
  return course === null
    ? t("lti.staff.from.unbound", of)
    : t("lti.staff.from", { ...of, course, platform: platform ?? "" });
}
