import type { Schemas } from "learning-platform-client";
import { formatFractionAsPercent } from "../format.ts";
import { t } from "../texts.ts";

/** Such as `85 % · passed · completed`. */
export const describeScormResult = ({
  score_scaled,
  passed,
  completed_at,
}: Pick<Schemas["MyScormAttempt"], "score_scaled" | "passed" | "completed_at">): string =>
  [
    score_scaled === null ? undefined : formatFractionAsPercent(score_scaled),
    passed === null ? undefined : t(passed ? "quiz.passed" : "quiz.failed"),
    t(completed_at ? "scorm.completed" : "scorm.incomplete"),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
