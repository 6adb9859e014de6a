import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { PagingButtonRow } from "../components/paging-buttons.tsx";
import { WholeAccountSignInOnly } from "../components/whole-account-only.tsx";
import { formatDayAndTime } from "../format.ts";
import { TranslatedSentenceWithTitle } from "../markup/text-in-content-language.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { type FindCourseIdOfOffering, notificationHref } from "./notification-href.ts";
import { NotificationPreferencesForm } from "./preferences.tsx";
import { refreshUnreadCount } from "./unread.ts";

type Notification = Schemas["Notification"];

export function NotificationsScreen() {
  const [before, setBefore] = useState<number>();
  const page = useQuery(
    (signal) =>
      dataOf(
        apiClient.listMyNotifications({
          params: { query: { limit: 30, ...(before && { before }) } },
          signal,
        }),
      ),
    [],
    before,
  );
  const mine = useQuery(
    (signal) => allOf(apiClient.listMyEnrollments, { params: { query: { limit: 1000 } }, signal }),
    [],
  );
  const courseOf: FindCourseIdOfOffering = (offering) =>
    mine.value?.find((one) => one.course_offering_id === offering)?.course_id;
  async function read(which: Schemas["NotificationsRead"]) {
    await dataOf(apiClient.readMyNotifications({ body: which }));
    refreshUnreadCount();
    page.again();
  }
  return (
    <>
      <ScreenHeading title={t("notifications")} />
      <QueryBoundary of={page}>
        {({ notifications, has_more, unread_count }) => (
          <>
            {unread_count > 0 && notifications[0] && (
              <ReadAll count={unread_count} upTo={notifications[0].id} read={read} />
            )}
            {notifications.length === 0 ? (
              <EmptyMessage>{t("notifications.empty")}</EmptyMessage>
            ) : (
              <ul class="lines notifications">
                {notifications.map((one) => (
                  <NotificationLine key={one.id} notification={one} courseOf={courseOf} read={read} />
                ))}
              </ul>
            )}
            <PagingButtonRow of={notifications}>
              {before !== undefined && (
                <ButtonWithFocusFallback onClick={() => setBefore(undefined)}>
                  {t("notifications.newest")}
                </ButtonWithFocusFallback>
              )}
              {has_more && (
                <ButtonWithFocusFallback onClick={() => setBefore(notifications.at(-1)?.id)}>
                  {t("notifications.older")}
                </ButtonWithFocusFallback>
              )}
            </PagingButtonRow>
          </>
        )}
      </QueryBoundary>
      <section class="card">
        <LazyDisclosure label={t("preferences")}>
          {() => (
            <WholeAccountSignInOnly>
              <NotificationPreferencesForm />
            </WholeAccountSignInOnly>
          )}
        </LazyDisclosure>
      </section>
    </>
  );
}

type Read = (which: Schemas["NotificationsRead"]) => Promise<void>;

function ReadAll({ count, upTo, read }: { count: number; upTo: number; read: Read }) {
  return (
    <div class="row" role="status">
      <span>{t("notifications.unread", { n: count })}</span>
      <ActionButton class="quiet" run={() => read({ up_to: upTo })}>
        {t("notifications.read.all")}
      </ActionButton>
    </div>
  );
}

type LineProps = { notification: Notification; courseOf: FindCourseIdOfOffering; read: Read };

function NotificationLine({ notification: one, courseOf, read }: LineProps) {
  const href = notificationHref(one, courseOf);
  const words = (
    <TranslatedSentenceWithTitle
      text={`notification.${one.kind}`}
      title={one.title ?? ""}
      lang={one.language_code}
      values={{ name: one.by_name ?? t("someone") }}
    />
  );
  // Following the link marks it as read. A failure to do so does not block navigation.
  const follow = () => void (one.read_at === null && read({ ids: [one.id] }).catch(() => undefined));
  return (
    <li class={one.read_at ? "" : "unread"}>
      <span>
        {href ? (
          <a href={href} onClick={follow}>
            {words}
          </a>
        ) : (
          words
        )}
        {!one.read_at && <span class="unseen"> · {t("unread")}</span>}
      </span>
      <small>{formatDayAndTime(one.created_at)}</small>
      {!one.read_at && (
        <ActionButton class="quiet" run={() => read({ ids: [one.id] })}>
          {t("mark.read")}
        </ActionButton>
      )}
    </li>
  );
}
