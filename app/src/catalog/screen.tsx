import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import styles from "../../styles/later/catalog.css";
import { adoptStyles } from "../adopt-styles.ts";
import { SignInAccessLimitNotice, universityAccessDeniedText } from "../components/access-limit-notice.tsx";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { PagingButtonRow } from "../components/paging-buttons.tsx";
import { formatDay } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { CourseLevelLanguageAndCredits } from "./course-facts.tsx";
import { CoursePicture } from "./course-picture.tsx";
import { CatalogFilterForm, type CatalogFilterValues } from "./filters.tsx";

adoptStyles(styles);

type Offering = Schemas["ListedOffering"];
type Enrollment = Schemas["Enrollment"];

const pageSize = 24;

export function CatalogScreen() {
  const { university_id: only } = useCurrentUser().profile.sign_in;
  const [choice, choose] = useState<CatalogFilterValues>({});
  const [shown, setShown] = useState(pageSize);
  const offerings = useQuery(
    async (signal) => {
      const query = {
        open: true,
        limit: shown + 1,
        sort: "-starts_at" as const,
        ...choice,
        // This sign-in may enroll only in its own university.
        ...(only !== null && { university_id: only }),
      };
      const found = await dataOf(apiClient.listOfferings({ params: { query }, signal }));
      return { lines: found.slice(0, shown), isMore: found.length > shown };
    },
    [choice],
    shown,
  );
  const mine = useQuery(
    (signal) => allOf(apiClient.listMyEnrollments, { params: { query: { limit: 1000 } }, signal }),
    [],
  );
  return (
    <>
      <ScreenHeading title={t("catalog")} />
      <SignInAccessLimitNotice />
      <CatalogFilterForm onChoose={choose} />
      <QueryBoundary of={offerings}>
        {({ lines, isMore }) => (
          <>
            {lines.length === 0 && <EmptyMessage>{t("catalog.empty")}</EmptyMessage>}
            <ul class="cards">
              {lines.map((offering) => (
                <OfferingCard
                  key={offering.id}
                  offering={offering}
                  enrollment={mine.value?.find((one) => one.course_offering_id === offering.id)}
                  onEnrolled={mine.again}
                />
              ))}
            </ul>
            <PagingButtonRow of={lines} adds>
              {isMore && (
                <ButtonWithFocusFallback onClick={() => setShown(shown + pageSize)}>
                  {t("more")}
                </ButtonWithFocusFallback>
              )}
            </PagingButtonRow>
          </>
        )}
      </QueryBoundary>
    </>
  );
}

type CardProps = { offering: Offering; enrollment: Enrollment | undefined; onEnrolled: () => void };

function OfferingCard({ offering, enrollment, onEnrolled }: CardProps) {
  const { course, teachers, term_name, starts_at } = offering;
  const withheld = useCurrentUser().profile.sign_in.withheld.find(
    ({ university_id }) => university_id === offering.university_id,
  );
  return (
    <li class="card course">
      {course.picture_file_id !== null && <CoursePicture id={course.picture_file_id} />}
      <p class="eyebrow">
        {course.code} {term_name && `· ${term_name}`}
      </p>
      <h2>
        <a href={screenHref("courses", offering.course_id, offering.id)} lang={course.language_code}>
          {course.title}
        </a>
      </h2>
      {course.description && (
        <div class="course-description">
          <MarkdownWithFormulas source={course.description} lang={course.language_code} byStaff />
        </div>
      )}
      <CourseLevelLanguageAndCredits {...course} />
      {teachers.length > 0 && (
        <p class="quiet">
          {t("taught.by", { names: teachers.map(({ full_name }) => full_name).join(", ") })}
        </p>
      )}
      <p class="quiet">
        {starts_at && t("starts.on", { day: formatDay(starts_at) })}{" "}
        {offering.capacity !== null && t("seats", { seats: offering.capacity })}
      </p>
      {enrollment && enrollment.status !== "DROPPED" ? (
        <p class={`badge ${enrollment.status.toLowerCase()}`} role="status">
          {enrollment.status === "WAITLISTED"
            ? t("waiting.at", { position: enrollment.position ?? 0 })
            : t("enrolled")}
        </p>
      ) : withheld ? (
        <p class="quiet">{universityAccessDeniedText(withheld)}</p>
      ) : (
        <Enroll offering={offering} onEnrolled={onEnrolled} />
      )}
    </li>
  );
}

function Enroll({ offering, onEnrolled }: Pick<CardProps, "offering" | "onEnrolled">) {
  const [key, setKey] = useState("");
  const enroll = async () => {
    const body = { course_offering_id: offering.id, ...(key && { enrollment_key: key }) };
    const created = await dataOf(apiClient.createEnrollment({ body }));
    if ("status" in created && created.status === "ACTIVE")
      location.hash = screenHref("courses", offering.course_id, offering.id);
    else onEnrolled();
  };
  if (offering.enrollment_mode === "STAFF") return <p class="quiet">{t("enroll.by.staff")}</p>;
  return (
    <div class="row">
      {offering.enrollment_mode === "KEY" && (
        <label>
          {t("enroll.key")}
          <input value={key} onInput={(event) => setKey(event.currentTarget.value)} />
        </label>
      )}
      <ActionButton
        class="primary"
        run={enroll}
        named={{ text: "enroll.in", title: offering.course.title, lang: offering.course.language_code }}
      >
        {t("enroll")}
      </ActionButton>
    </div>
  );
}
