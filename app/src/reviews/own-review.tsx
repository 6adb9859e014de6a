import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type OwnReviewProps = { course: number; offering: number; onChange: () => void };

const ratings = [5, 4, 3, 2, 1];

export function OwnReviewForm({ course, offering, onChange }: OwnReviewProps) {
  const [removals, setRemovals] = useState(0);
  const params = { path: { offering_id: offering } };
  const own = useQuery(
    async (signal) => {
      const given = { path: { course_id: course }, query: { own: true, limit: 100 } };
      const { reviews } = await dataOf(apiClient.listCourseReviews({ params: given, signal }));
      return { review: reviews.find((one) => one.course_offering_id === offering) };
    },
    [course, offering],
  );
  const changed = () => {
    own.again();
    onChange();
  };
  const send = async (fields: FormData) => {
    const body = {
      rating: Number(fields.get("rating")),
      review_text: readTextField(fields, "review_text") || null,
    };
    await dataOf(apiClient.writeCourseReview({ params, body }));
    changed();
  };
  const remove = async () => {
    if (!confirm(t("reviews.delete.sure"))) return;
    await dataOf(apiClient.deleteCourseReview({ params }));
    setRemovals(removals + 1);
    changed();
  };
  return (
    <QueryBoundary of={own}>
      {({ review }) => (
        <section class="card" aria-labelledby="own-review" key={removals}>
          <h3 id="own-review">{t("reviews.own")}</h3>
          {review?.is_hidden && <p class="fault">{t("post.was.hidden")}</p>}
          <Form
            send={send}
            submit={t(review ? "save" : "reviews.send")}
            done={t("saved")}
            draft={`review of ${offering}`}
          >
            <Field name="rating" label={t("reviews.rating")}>
              <select class="narrow" required>
                {!review && <option value="">–</option>}
                {ratings.map((one) => (
                  <option key={one} value={one} selected={one === review?.rating}>
                    {t("reviews.stars", { n: one })}
                  </option>
                ))}
              </select>
            </Field>
            <Field name="review_text" label={t("reviews.words")}>
              <textarea rows={3} maxLength={5000} defaultValue={review?.review_text ?? ""} />
            </Field>
          </Form>
          {review && (
            <ActionButton class="quiet" run={remove}>
              {t("reviews.delete")}
            </ActionButton>
          )}
        </section>
      )}
    </QueryBoundary>
  );
}
