import type { Schemas } from "learning-platform-client";
import { formatDay, formatDayAndTime } from "../format.ts";
import { screenHref } from "../routes.ts";
import { type TextKey, t } from "../texts.ts";

type Taught = Schemas["TaughtOffering"];

const shortcuts: [part: string, label: TextKey][] = [
  ["gradebook", "tab.gradebook"],
  ["announcements", "tab.announcements"],
  ["enroll", "enroll.learners"],
];

export function OfferingToDoCard({ taught }: { taught: Taught }) {
  const { course, course_offering, to_grade, unanswered_threads, handovers, stuck, deadlines } = taught;
  const way = (...parts: (string | number)[]) =>
    screenHref("teaching", course.id, course_offering.id, ...parts);
  const heading = `offering-${course_offering.id}`;
  const isWaiting = hasWaitingWork(taught);
  return (
    <li class="card course">
      <p class="eyebrow">
        {course.code} {course_offering.term_name && `· ${course_offering.term_name}`}
      </p>
      <h2 id={heading} lang={course.language_code}>
        <a href={way()}>{course.title}</a>
      </h2>
      {!isWaiting && stuck.count === 0 && <p class="quiet">{t("teaching.nothing")}</p>}
      {isWaiting && (
        <ul class="lines">
          <WaitingCountLink of={to_grade} words="teaching.to.grade" href={way("submissions")} />
          <WaitingCountLink of={unanswered_threads} words="teaching.unanswered" href={way("discussions")} />
          <WaitingCountLink of={handovers} words="teaching.handovers" href={way("tutor")} />
        </ul>
      )}
      {stuck.count > 0 && <InactiveLearnersList stuck={stuck} wayTo={(person) => way("learners", person)} />}
      {deadlines.length > 0 && (
        <section>
          <h3>{t("teaching.deadlines")}</h3>
          <ul class="lines">
            {deadlines.map(({ content_item_id, title, due_at }) => (
              <li key={content_item_id}>
                <span lang={course.language_code}>{title}</span>
                <time dateTime={due_at} title={formatDayAndTime(due_at)}>
                  {formatDay(due_at)}
                </time>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p class="row">
        {shortcuts.map(([part, label]) => (
          <a key={part} href={way(part)} aria-describedby={heading}>
            {t(label)}
          </a>
        ))}
      </p>
    </li>
  );
}

/** Whether work waits for the teacher in the offering. */
export const hasWaitingWork = ({ to_grade, unanswered_threads, handovers }: Taught): boolean =>
  [to_grade, unanswered_threads, handovers].some(({ count }) => count > 0);

type WaitingProps = { of: Taught["to_grade"]; words: TextKey; href: string };

export function WaitingCountLink({ of: { count, oldest_at }, words, href }: WaitingProps) {
  if (count === 0) return null;
  return (
    <li>
      <a href={href}>{t(words, { n: count })}</a>
      {oldest_at && <small>{t("teaching.since", { day: formatDay(oldest_at) })}</small>}
    </li>
  );
}

type StuckProps = { stuck: Taught["stuck"]; wayTo: (person: number) => string };

/** Learners without activity for a week, least progress first. */
export function InactiveLearnersList({ stuck: { count, people }, wayTo }: StuckProps) {
  return (
    <section>
      <h3>{t("teaching.stuck", { n: count })}</h3>
      <ul class="lines">
        {people.map(({ user_id, full_name, last_activity_at }) => (
          <li key={user_id}>
            <a href={wayTo(user_id)}>{full_name}</a>
            <small>
              {last_activity_at ? t("last.seen", { day: formatDay(last_activity_at) }) : t("never.seen")}
            </small>
          </li>
        ))}
        {count > people.length && <li>{t("teaching.further", { n: count - people.length })}</li>}
      </ul>
    </section>
  );
}
