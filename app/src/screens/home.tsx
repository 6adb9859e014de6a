import { dataOf, type Schemas } from "learning-platform-client";
import { SignInAccessLimitNotice } from "../components/access-limit-notice.tsx";
import { ActionButton } from "../components/action.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { ProgressBar } from "../components/progress.tsx";
import { formatDay, formatDayAndTime } from "../format.ts";
import { TextInContentLanguage, TranslatedSentenceWithTitle } from "../markup/text-in-content-language.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

type HomeCourse = Schemas["HomeCourse"];

export function HomeScreen() {
  const { profile } = useCurrentUser();
  const home = useQuery((signal) => dataOf(apiClient.getMyHome({ signal })), []);
  return (
    <>
      <ScreenHeading title={t("home.hello", { name: profile.full_name })}>
        {profile.current_streak_days > 0 && (
          <p class="quiet">{t("home.streak", { days: profile.current_streak_days })}</p>
        )}
      </ScreenHeading>
      <SignInAccessLimitNotice />
      <QueryBoundary of={home}>
        {({ courses, due, unread_announcements: unread, open_offers: offers }) => (
          <>
            {offers > 0 && (
              <p class="notice">
                <a href={screenHref("account")}>{t("home.offers", { n: offers })}</a>
              </p>
            )}
            {unread > 0 && (
              <p class="notice">
                <a href={screenHref("announcements")}>{t("home.announcements", { n: unread })}</a>
              </p>
            )}
            <div class="columns">
              <section aria-labelledby="my-courses">
                <h2 id="my-courses">{t("home.courses")}</h2>
                {courses.length === 0 && (
                  <EmptyMessage>
                    <p>{t("home.empty")}</p>
                    <a class="button primary" href={screenHref("catalog")}>
                      {t("home.find")}
                    </a>
                  </EmptyMessage>
                )}
                <ul class="cards">
                  {courses.map((one) => (
                    <CourseCard key={one.enrollment_id} enrolled={one} onLeft={home.again} />
                  ))}
                </ul>
              </section>
              <DueList due={due} courses={courses} />
            </div>
          </>
        )}
      </QueryBoundary>
    </>
  );
}

function CourseCard({ enrolled, onLeft }: { enrolled: HomeCourse; onLeft: () => void }) {
  const { course, course_offering, teachers, next_item, status } = enrolled;
  const route = ["courses", course.id, course_offering.id] as const;
  return (
    <li class="card course">
      <p class="eyebrow">
        {course.code} {course_offering.term_name && `· ${course_offering.term_name}`}
      </p>
      <h3>
        <a href={screenHref(...route)} lang={course.language_code}>
          {course.title}
        </a>
      </h3>
      {teachers.length > 0 && (
        <p class="quiet">
          {t("taught.by", { names: teachers.map(({ full_name }) => full_name).join(", ") })}
        </p>
      )}
      {status === "WAITLISTED" ? (
        <Waiting enrolled={enrolled} onLeft={onLeft} />
      ) : (
        <ProgressBar percent={enrolled.progress_percent} title={course.title} lang={course.language_code} />
      )}
      {next_item ? (
        <a class="button primary" href={screenHref(...route, next_item.id)}>
          <TranslatedSentenceWithTitle text="home.next" title={next_item.title} lang={course.language_code} />
        </a>
      ) : (
        <NothingNext status={status} />
      )}
    </li>
  );
}

function NothingNext({ status }: Pick<HomeCourse, "status">) {
  if (status === "ACTIVE") return <p class="quiet">{t("home.nothing.next")}</p>;
  return status === "COMPLETED" ? <p class="badge completed">{t("home.completed")}</p> : null;
}

function Waiting({ enrolled, onLeft }: { enrolled: HomeCourse; onLeft: () => void }) {
  const leave = async () => {
    const params = { path: { enrollment_id: enrolled.enrollment_id } };
    await dataOf(apiClient.updateEnrollment({ params, body: { status: "DROPPED" } }));
    onLeft();
  };
  return (
    <>
      <p class="badge waiting">{t("waiting.at", { position: enrolled.position ?? 0 })}</p>
      <ActionButton class="quiet" run={leave}>
        {t("waiting.leave")}
      </ActionButton>
    </>
  );
}

function DueList({ due, courses }: { due: Schemas["DueItem"][]; courses: HomeCourse[] }) {
  const languageOf = ({ course_id }: Schemas["DueItem"]) =>
    courses.find(({ course }) => course.id === course_id)?.course.language_code;
  return (
    <section aria-labelledby="due">
      <h2 id="due">{t("home.due")}</h2>
      {due.length === 0 && <EmptyMessage>{t("home.nothing.due")}</EmptyMessage>}
      <ul class="lines">
        {due.map((item) => (
          <li key={`${item.course_offering_id}/${item.id}`}>
            {item.is_locked ? (
              <TextInContentLanguage lang={languageOf(item)}>{item.title}</TextInContentLanguage>
            ) : (
              <a href={screenHref("courses", item.course_id, item.course_offering_id, item.id)}>
                <TextInContentLanguage lang={languageOf(item)}>{item.title}</TextInContentLanguage>
              </a>
            )}
            <time dateTime={item.due_at} title={formatDayAndTime(item.due_at)}>
              {formatDay(item.due_at)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  );
}
