import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { focusOnMountRef } from "../components/focus-at-once.ts";
import { Form, readTextField } from "../components/form.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { formatDay, formatToOneDecimal } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { OwnReviewForm } from "./own-review.tsx";
import { StarRating } from "./stars.tsx";

type Review = Schemas["CourseReview"];

type ReviewsProps = {
  course: number;
  offering: number;
  /** Whether the caller is enrolled and may write a review. */
  takesPart: boolean;
};

export function CourseReviewsSection({ course, offering, takesPart }: ReviewsProps) {
  const path = { course_id: course };
  const rating = useQuery(
    (signal) => dataOf(apiClient.listCourseReviews({ params: { path, query: { limit: 1 } }, signal })),
    [course],
  );
  const others = usePagedQuery(
    async (part, signal) => {
      const query = { ...part, own: false } as const;
      return (await dataOf(apiClient.listCourseReviews({ params: { path, query }, signal }))).reviews;
    },
    [course],
  );
  return (
    <>
      <QueryBoundary of={rating}>
        {({ average_rating, review_count }) =>
          average_rating !== null && (
            <p>
              <StarRating rating={average_rating} />{" "}
              {t("reviews.average", { average: formatToOneDecimal(average_rating), n: review_count })}
            </p>
          )
        }
      </QueryBoundary>
      {takesPart && <OwnReviewForm course={course} offering={offering} onChange={rating.again} />}
      <PagedList of={others} empty={t("reviews.empty")}>
        {(found) => (
          <ul class="stack">
            {found.map((one) => (
              <li key={one.id} class="card">
                <OthersReview review={one} />
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

function OthersReview({ review: one }: { review: Review }) {
  const [state, setState] = useState<"read" | "reporting" | "reported">("read");
  const report = async (fields: FormData) => {
    const body = { reason: readTextField(fields, "reason") };
    await dataOf(apiClient.reportCourseReview({ params: { path: { review_id: one.id } }, body }));
    setState("reported");
  };
  return (
    <>
      <div class="line-head">
        <StarRating rating={one.rating} />
        <strong>{one.user_name ?? t("someone")}</strong>
        <span class="quiet">{[one.term_name, formatDay(one.updated_at)].filter(Boolean).join(" · ")}</span>
        {one.is_hidden && <span class="badge dropped">{t("post.hidden")}</span>}
      </div>
      {one.review_text && <p class="as-written">{one.review_text}</p>}
      {state === "reporting" && (
        <Form send={report} submit={t("post.report")} onCancel={() => setState("read")}>
          <Field name="reason" label={t("post.report.why")}>
            <textarea rows={2} maxLength={2000} required ref={focusOnMountRef} />
          </Field>
        </Form>
      )}
      {state === "reported" && (
        <p role="status" class="quiet">
          {t("post.reported")}
        </p>
      )}
      {state === "read" && one.review_text && (
        <ButtonWithFocusFallback class="quiet" onClick={() => setState("reporting")}>
          {t("post.report")}
        </ButtonWithFocusFallback>
      )}
    </>
  );
}
