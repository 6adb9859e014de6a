import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { OfferingTabLayout } from "../components/offering-tab-layout.tsx";
import type { LearnerOrTeacherView } from "../components/offering-tabs.tsx";
import { PagedList, type PagedQuery, usePagedQuery } from "../components/paged.tsx";
import { formatDay, formatDayAndTime } from "../format.ts";
import { GroupFilter } from "../groups/group-choice.tsx";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { refreshUnreadCount } from "../notifications/unread.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { NewAnnouncementForm } from "./new-announcement.tsx";

type Announcement = Schemas["Announcement"];

export function MyAnnouncementsScreen() {
  const announcements = usePagedQuery(
    (query, signal) => dataOf(apiClient.listMyAnnouncements({ params: { query }, signal })),
    [],
  );
  return (
    <>
      <ScreenHeading title={t("announcements")} />
      <Announcements of={announcements} empty={t("announcements.empty")} />
    </>
  );
}

export function AnnouncementScreen({ announcement }: { announcement: string }) {
  const path = { announcement_id: Number(announcement) };
  const found = useQuery(
    (signal) => dataOf(apiClient.getAnnouncement({ params: { path }, signal })),
    [announcement],
  );
  return (
    <QueryBoundary of={found}>
      {(one) => (
        <>
          <ScreenHeading title={one.title} lang={one.language_code ?? undefined} />
          <AnnouncementCard announcement={one} onRead={found.again} />
        </>
      )}
    </QueryBoundary>
  );
}

type RouteProps = { course: string; offering: string };

function OfferingAnnouncements({ course, offering, side }: RouteProps & { side: LearnerOrTeacherView }) {
  const path = { offering_id: Number(offering) };
  const [group, narrow] = useState("");
  const [unread, show] = useState<"true" | "false">("false");
  const announcements = usePagedQuery(
    (part, signal) => {
      const query = { ...part, unread, ...(group && { group_id: Number(group) }) };
      return dataOf(apiClient.listOfferingAnnouncements({ params: { path, query }, signal }));
    },
    [offering, group, unread],
  );
  const isNarrowed = group !== "" || unread === "true";
  const isTeaching = side === "teaching";
  return (
    <OfferingTabLayout
      course={course}
      offering={offering}
      side={side}
      part="announcements"
      title={t("announcements")}
    >
      {isTeaching && (
        <NewAnnouncementForm offering={Number(offering)} onAnnounced={announcements.query.again} />
      )}
      <div class="filters">
        <LabeledSelect
          label={t("announcements.which")}
          value={unread}
          options={[
            ["false", t("announcements.all")],
            ["true", t("announcements.unread")],
          ]}
          onChoose={show}
        />
        {isTeaching && <GroupFilter offering={offering} value={group} onChoose={narrow} />}
      </div>
      <Announcements
        of={announcements}
        empty={t(
          isNarrowed
            ? "announcements.none"
            : isTeaching
              ? "announcements.write.first"
              : "announcements.empty",
        )}
        isTeaching={isTeaching}
      />
    </OfferingTabLayout>
  );
}

export const LearnerOfferingAnnouncementsScreen = (route: RouteProps) => (
  <OfferingAnnouncements {...route} side="courses" />
);
export const StaffOfferingAnnouncementsScreen = (route: RouteProps) => (
  <OfferingAnnouncements {...route} side="teaching" />
);

type ListProps = { of: PagedQuery<Announcement>; empty: string; isTeaching?: boolean };

function Announcements({ of: announcements, empty, isTeaching = false }: ListProps) {
  return (
    <PagedList of={announcements} empty={empty}>
      {(found) => (
        <ul class="stack">
          {found.map((one) => (
            <li key={one.id}>
              <AnnouncementCard
                announcement={one}
                withTitle
                onRead={announcements.query.again}
                onDeleted={isTeaching ? announcements.query.again : undefined}
              />
            </li>
          ))}
        </ul>
      )}
    </PagedList>
  );
}

type CardProps = {
  announcement: Announcement;
  withTitle?: boolean;
  onRead: () => void;
  /** Absent if the caller may not delete it. */
  onDeleted?: (() => void) | undefined;
};

function AnnouncementCard({ announcement: one, withTitle = false, onRead, onDeleted }: CardProps) {
  const params = { path: { announcement_id: one.id } };
  const read = async () => {
    await dataOf(apiClient.readAnnouncement({ params }));
    refreshUnreadCount();
    onRead();
  };
  const remove = async () => {
    if (!confirm(t("announcement.delete.sure"))) return;
    await dataOf(apiClient.deleteAnnouncement({ params }));
    onDeleted?.();
  };
  const isPlanned = new Date(one.published_at) > new Date();
  return (
    <article class="card">
      <div class="line-head">
        {withTitle && <h2 lang={one.language_code ?? undefined}>{one.title}</h2>}
        {isPlanned && <span class="badge waiting">{t("announcement.planned")}</span>}
        {!one.read_at && !onDeleted && <span class="badge live">{t("unread")}</span>}
      </div>
      <p class="quiet">
        {[one.created_by_name, isPlanned ? formatDayAndTime(one.published_at) : formatDay(one.published_at)]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <MarkdownWithFormulas source={one.body} lang={one.language_code ?? undefined} byStaff inLines />
      {!one.read_at && !onDeleted && (
        <ActionButton class="quiet" run={read}>
          {t("mark.read")}
        </ActionButton>
      )}
      {onDeleted && (
        <ActionButton class="quiet" run={remove}>
          {t("delete")}
        </ActionButton>
      )}
    </article>
  );
}
