import type { Schemas } from "learning-platform-client";
import { formatDayAndTime, formatToOneDecimal } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { t } from "../texts.ts";
import { ChosenRubricLevels } from "../work/chosen-levels.tsx";

type Submission = Pick<Schemas["Submission"], "status" | "max_score"> & {
  marks: Pick<NonNullable<Schemas["Submission"]["marks"]>, "given" | "is_own_given"> | null;
};

/** The next step: grade, first or second mark, or agreed grade. */
export function nextMarkingStep({ marks }: Submission): "grade" | "mark" | "agree" {
  if (!marks) return "grade";
  return marks.given < 2 ? "mark" : "agree";
}

/** The number of marks for work with two markers that is not graded yet. */
export function DoubleMarkingBadge({ of: one }: { of: Submission }) {
  if (!one.marks || one.status !== "submitted") return null;
  return (
    <span class="badge waiting">
      {one.marks.given < 2 ? t("marks.given", { n: one.marks.given }) : t("marks.to.agree")}
    </span>
  );
}

/** The visible marks: the reader's own, and both once both exist. */
export function DoubleMarkingSection({ of: one }: { of: Schemas["Submission"] }) {
  if (!one.marks) return null;
  const { given, is_own_given, shown } = one.marks;
  return (
    <section aria-labelledby="marks">
      <h3 id="marks">{t("marks")}</h3>
      <p class="quiet">
        {given === 2 ? t("marks.both") : t(is_own_given ? "marks.wait.other" : "marks.unseen", { n: given })}
      </p>
      {shown.map(({ score, feedback, rubric, marked_at }) => (
        <div key={marked_at}>
          <p>
            <strong>{t("marks.points", { score: formatToOneDecimal(score) })}</strong>{" "}
            <span class="quiet">{formatDayAndTime(marked_at)}</span>
          </p>
          {rubric && <ChosenRubricLevels levels={rubric} />}
          {feedback && <MarkdownWithFormulas source={feedback} byStaff />}
        </div>
      ))}
    </section>
  );
}
