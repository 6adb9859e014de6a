import { number } from "../format.ts";
import { Prose } from "../markup/prose.tsx";
import { t } from "../texts.ts";
import type { AssignmentData } from "./shapes.ts";

/** Assignments are free in their shape: only what has the expected type is shown. */
export function AssignmentView({ data: { instructions, max_points, criteria } }: { data: AssignmentData }) {
  return (
    <>
      {typeof instructions === "string" && <Prose source={instructions} byStaff />}
      {typeof max_points === "number" && (
        <p class="quiet">{t("assignment.points", { points: number(max_points) })}</p>
      )}
      {Array.isArray(criteria) && (
        <>
          <h2>{t("assignment.criteria")}</h2>
          <ul>
            {criteria.map((one) => (
              <li key={String(one)}>{String(one)}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
