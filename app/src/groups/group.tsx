import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { OfferingContentDatesForm } from "../authoring/content-dates-form.tsx";
import { DangerZone } from "../components/danger-zone.tsx";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { Form } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { navigateAwayFromDeleted } from "../router.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { GroupFields, readGroupFields } from "./group-fields.tsx";
import { GroupMembersEditor } from "./members.tsx";

type GroupScreenProps = { course: string; offering: string; group: string };

export function GroupScreen({ course, offering, group }: GroupScreenProps) {
  const path = { offering_id: Number(offering), group_id: Number(group) };
  const groups = useQuery(
    (signal) => allOf(apiClient.listGroups, { params: { path: { offering_id: path.offering_id } }, signal }),
    [offering],
  );
  return (
    <>
      <BackLink route={["teaching", course, offering, "groups"]}>{t("groups")}</BackLink>
      <QueryBoundary of={groups}>
        {(found) => {
          const one = found.find(({ id }) => id === path.group_id);
          if (!one) return <Notice>{t("groups.gone")}</Notice>;
          return <Group course={course} group={one} path={path} onChange={groups.again} />;
        }}
      </QueryBoundary>
    </>
  );
}

type GroupProps = {
  course: string;
  group: Schemas["Group"];
  path: { offering_id: number; group_id: number };
  onChange: () => void;
};

function Group({ course, group, path, onChange }: GroupProps) {
  const save = async (fields: FormData) => {
    await dataOf(apiClient.updateGroup({ params: { path }, body: readGroupFields(fields) }));
    onChange();
  };
  const remove = async () => {
    await dataOf(apiClient.deleteGroup({ params: { path } }));
    navigateAwayFromDeleted("teaching", course, path.offering_id, "groups");
  };
  return (
    <>
      <ScreenHeading title={group.name} />
      <p>
        <a href={screenHref("teaching", course, path.offering_id)}>{t("offering.class")}</a>
      </p>
      <GroupMembersEditor course={course} path={path} onChange={onChange} />
      <Form class="form card" send={save} submit={t("save")} done={t("saved")}>
        <GroupFields group={group} />
      </Form>
      <LazyDisclosureCard label={t("groups.dates")}>{() => <GroupDates path={path} />}</LazyDisclosureCard>
      <DangerZone
        label={t("groups.delete")}
        sure={t("groups.delete.sure", { name: group.name })}
        end={remove}
      />
    </>
  );
}

function GroupDates({ path }: Pick<GroupProps, "path">) {
  const lines = useQuery(
    (signal) => allOf(apiClient.listGroupDates, { params: { path }, signal }),
    [path.group_id],
  );
  const set = async (dates: Schemas["OfferingDate"][]) =>
    lines.set(await dataOf(apiClient.setGroupDates({ params: { path }, body: { dates } })));
  return (
    <>
      <p class="quiet">{t("groups.dates.about")}</p>
      <QueryBoundary of={lines}>
        {(found) => <OfferingContentDatesForm lines={found} set={set} ofGroup />}
      </QueryBoundary>
    </>
  );
}
