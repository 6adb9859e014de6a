import { number } from "../format.ts";
import { Prose } from "../markup/prose.tsx";
import { t } from "../texts.ts";
import { LinkList } from "./resource.tsx";
import { RubricView } from "./rubric.tsx";
import type { AssignmentData, Criterion } from "./shapes.ts";
import { Blocks } from "./text.tsx";

/** Assignments are free in their shape: only what has the expected type is shown. */
export function AssignmentView({ data }: { data: AssignmentData }) {
  const { instructions, max_points, criteria, blocks, resources } = data;
  return (
    <>
      {typeof instructions === "string" && <Prose source={instructions} byStaff />}
      {Array.isArray(blocks) && <Blocks blocks={blocks} />}
      {Array.isArray(resources) && resources.length > 0 && <LinkList links={resources} />}
      {typeof max_points === "number" && (
        <p class="quiet">{t("assignment.points", { points: number(max_points) })}</p>
      )}
      {typeof criteria === "string" && (
        <>
          <h2>{t("assignment.criteria")}</h2>
          <Prose source={criteria} byStaff />
        </>
      )}
      {Array.isArray(criteria) && (
        <>
          <h2>{t("assignment.criteria")}</h2>
          <Criteria of={criteria} />
        </>
      )}
      <RubricView rubric={data.rubric} />
    </>
  );
}

const Criteria = ({ of }: { of: (string | Criterion)[] }) => (
  <ul>
    {of.map((one, at) => (
      // Criteria have no names, and never change their order here.
      <li key={at}>{wordsOf(one)}</li>
    ))}
  </ul>
);

/** A criterion is words, or an object that has them under one of several names. */
function wordsOf(criterion: string | Criterion): string {
  if (typeof criterion !== "object" || criterion === null) return String(criterion);
  const { title, label, text, description, points } = criterion;
  const words = [title ?? label, text ?? description].filter(Boolean).join(": ");
  return points === undefined ? words : `${words} · ${t("assignment.points", { points: number(points) })}`;
}
