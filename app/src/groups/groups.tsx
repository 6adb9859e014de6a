import { dataOf } from "learning-platform-client";
import { ScreenHeading } from "../components/heading.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { GroupFields, readGroupFields } from "./group-fields.tsx";
import { seatsLabel } from "./seats.ts";

export function GroupsScreen({ course, offering }: { course: string; offering: string }) {
  const path = { offering_id: Number(offering) };
  const groups = usePagedQuery(
    (query, signal) => dataOf(apiClient.listGroups({ params: { path, query }, signal })),
    [offering],
  );
  const add = async (fields: FormData) => {
    const { id } = await dataOf(apiClient.createGroup({ params: { path }, body: readGroupFields(fields) }));
    location.hash = screenHref("teaching", course, offering, "groups", id);
  };
  return (
    <>
      <BackLink route={["teaching", course, offering]} />
      <ScreenHeading title={t("groups")} />
      <p class="quiet">{t("groups.about")}</p>
      <PagedLineList of={groups} empty={t("groups.empty")}>
        {(one) => (
          <li>
            <a href={screenHref("teaching", course, offering, "groups", one.id)}>{one.name}</a>
            <small>{seatsLabel(one)}</small>
          </li>
        )}
      </PagedLineList>
      <NewEntryCard id="new-group" title={t("groups.new")} submit={t("groups.add")} send={add}>
        <GroupFields />
      </NewEntryCard>
    </>
  );
}
