import type { Schemas } from "learning-platform-client";
import { LateAndDroppedNotes } from "../grading/late-and-dropped-notes.tsx";

type Late = Pick<Schemas["OwnSubmission"], "score_obtained" | "late_days" | "late_deduction">;

/** The late penalty. The score itself is unchanged. */
export const LatePenaltyNote = ({ of: { score_obtained, late_days, late_deduction } }: { of: Late }) => (
  <LateAndDroppedNotes
    of={{
      score: score_obtained === null ? null : score_obtained - (late_deduction ?? 0),
      late_days,
      late_deduction,
    }}
  />
);
