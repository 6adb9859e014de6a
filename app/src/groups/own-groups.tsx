import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { seatsLabel } from "./seats.ts";

/** A learner's groups, with those that they may join or leave. */
export function OwnGroupsScreen({ course, offering }: { course: string; offering: string }) {
  const path = { offering_id: Number(offering) };
  const groups = usePagedQuery(
    (query, signal) => dataOf(apiClient.listGroups({ params: { path, query }, signal })),
    [offering],
  );
  return (
    <>
      <BackLink route={["courses", course, offering]} />
      <ScreenHeading title={t("groups")} />
      <p class="quiet">{t("groups.own.about")}</p>
      <PagedLineList of={groups} empty={t("groups.own.empty")}>
        {(one) => <GroupLine group={one} onChange={groups.query.again} />}
      </PagedLineList>
    </>
  );
}

function GroupLine({ group, onChange }: { group: Schemas["Group"]; onChange: () => void }) {
  const params = { path: { offering_id: group.course_offering_id, group_id: group.id } };
  const join = async () => {
    await dataOf(apiClient.joinGroup({ params }));
    onChange();
  };
  const leave = async () => {
    await dataOf(apiClient.leaveGroup({ params }));
    onChange();
  };
  const isFull = group.capacity !== null && group.member_count >= group.capacity;
  return (
    <li>
      <span>
        {group.name} <small>{seatsLabel(group)}</small>
      </span>
      <span class="row">
        {group.own_role && <small>{t("groups.yours")}</small>}
        {group.self_enrollment && group.own_role === "MEMBER" && (
          <ActionButton class="quiet" run={leave} label={t("groups.leave.of", { name: group.name })}>
            {t("groups.leave")}
          </ActionButton>
        )}
        {group.self_enrollment && !group.own_role && !isFull && (
          <ActionButton run={join} label={t("groups.join.of", { name: group.name })}>
            {t("groups.join")}
          </ActionButton>
        )}
      </span>
    </li>
  );
}
