import { dataOf, type Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { EmptyMessage } from "../components/empty.tsx";
import { OfferingTabLayout } from "../components/offering-tab-layout.tsx";
import { formatDayAndTime, formatNumber } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { type TextKey, t } from "../texts.ts";
import { contentUnreadByTutorLabel } from "../tutor/not-read.ts";
import { answerWithoutQuestionBlock } from "../tutor/steps.ts";
import { FailedAnswerCard } from "./failed-answer.tsx";
import { storedAnswerHref } from "./stored-answer-href.ts";

type Inbox = Schemas["TutorInbox"];

type Route = { course: string; offering: string };

/** Tutor conversations that need staff: hand-offs and bad answers. */
export function TutorInboxScreen(route: Route) {
  const path = { offering_id: Number(route.offering) };
  const inbox = useQuery(
    (signal) => dataOf(apiClient.getTutorInbox({ params: { path }, signal })),
    [route.offering],
  );
  return (
    <OfferingTabLayout {...route} side="teaching" part="tutor" title={t("inbox")}>
      <QueryBoundary of={inbox}>{(found) => <Parts inbox={found} {...route} />}</QueryBoundary>
    </OfferingTabLayout>
  );
}

function Parts({ inbox, course, offering }: Route & { inbox: Inbox }) {
  const topic = (item: number) => screenHref("teaching", course, offering, "topics", item);
  return (
    <>
      <Part
        title="inbox.handovers"
        about="inbox.handovers.about"
        empty="inbox.handovers.none"
        of={inbox.handovers}
      >
        {(one) => (
          <li key={one.thread_id}>
            <span>
              <a href={screenHref("teaching", course, offering, "discussions", one.thread_id)}>
                {one.question}
              </a>{" "}
              <small>
                {t("thread.by", { name: one.user_name ?? t("someone") })} ·{" "}
                {one.title ?? t("thread.untitled")}
              </small>
            </span>
            <span class="row">
              {one.visible === "STAFF" && <span class="badge">{t("thread.STAFF")}</span>}
              <small>{formatDayAndTime(one.last_post_at)}</small>
              {one.node_id !== null && one.content_item_id !== null && (
                <a href={storedAnswerHref(course, offering, one.content_item_id, one.node_id)}>
                  {t("inbox.edit")}
                </a>
              )}
            </span>
          </li>
        )}
      </Part>
      <Part title="inbox.nodes" about="inbox.nodes.about" empty="inbox.nodes.none" of={inbox.worst_nodes}>
        {(one) => (
          <li key={one.node_id}>
            <span>
              <a href={storedAnswerHref(course, offering, one.content_item_id, one.node_id)}>
                {answerWithoutQuestionBlock(one.answer) || one.message}
              </a>{" "}
              <small>{one.title}</small>
            </span>
            <span class="row">
              {one.downs !== null && <small>{t("inbox.downs", { n: formatNumber(one.downs) })}</small>}
              {one.departures !== null && (
                <small>{t("tree.left", { n: formatNumber(one.departures) })}</small>
              )}
            </span>
          </li>
        )}
      </Part>
      <Part
        title="inbox.malformed"
        about="inbox.malformed.about"
        empty="inbox.malformed.none"
        of={inbox.malformed}
      >
        {(one) => (
          <li key={one.content_item_id}>
            <a href={topic(one.content_item_id)}>{one.title}</a>
            <small>{t("inbox.answers", { n: one.answers })}</small>
          </li>
        )}
      </Part>
      <Part
        title="inbox.failed"
        about="inbox.failed.about"
        empty="inbox.failed.none"
        of={inbox.failed_answers}
      >
        {(one) => <FailedAnswerCard key={one.id} answer={one} course={course} offering={offering} />}
      </Part>
      <Part
        title="inbox.not.read"
        about="inbox.not.read.about"
        empty="inbox.not.read.none"
        of={inbox.not_read}
      >
        {(one) => (
          <li key={one.content_item_id}>
            <a href={topic(one.content_item_id)}>{one.title}</a>
            <small>{contentUnreadByTutorLabel(one.not_read)}</small>
          </li>
        )}
      </Part>
    </>
  );
}

type PartProps<Line> = {
  title: TextKey;
  about: TextKey;
  empty: TextKey;
  of: readonly Line[];
  children: (line: Line) => ComponentChildren;
};

function Part<Line>({ title, about, empty, of, children }: PartProps<Line>) {
  return (
    <section aria-labelledby={title}>
      <h2 id={title}>{t(title)}</h2>
      <p class="quiet">{t(about)}</p>
      {of.length === 0 ? <EmptyMessage>{t(empty)}</EmptyMessage> : <ul class="lines">{of.map(children)}</ul>}
    </section>
  );
}
