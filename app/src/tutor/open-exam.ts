import { dataOf, PlatformError, type Schemas } from "learning-platform-client";
import { type QueryHookResult, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";

/** Whether the learner takes an exam of this course, which closes its tutor. Undefined while unknown. */
export function useIsTakingExam(
  outline: QueryHookResult<Schemas["Outline"]>,
  offering: string,
): boolean | undefined {
  const open = (outline.value?.modules ?? [])
    .flatMap(({ items }) => items)
    .filter(({ content_type, attempt }) => content_type === "quiz" && attempt?.state === "OPEN")
    .map(({ id }) => id);
  const exams = useQuery(
    async (signal) => {
      const quizzes = await Promise.all(
        open.map((content_item_id) => {
          const path = { offering_id: Number(offering), content_item_id };
          return dataOf(apiClient.getMyQuiz({ params: { path }, signal }));
        }),
      );
      return quizzes.some(({ is_exam, open_attempt_id }) => is_exam && open_attempt_id !== null);
    },
    [offering, open],
  );
  if (outline.error !== undefined || exams.error !== undefined) return false;
  return outline.value && exams.value;
}

/** Whether the service closed the tutor for an exam, which may be one of another course. */
export const isTutorClosedForExamError = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === "exam_under_way";
