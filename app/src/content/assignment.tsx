import { formatNumber } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { t } from "../texts.ts";
import type { AssignmentCriterion, AssignmentData } from "./content-data.ts";
import { ContentLinkList } from "./resource.tsx";
import { RubricView } from "./rubric.tsx";
import { ContentBlocksView } from "./text.tsx";

/** Assignments have no fixed schema, so only values of the expected type are shown. */
export function AssignmentDescriptionView({ data }: { data: AssignmentData }) {
  const { instructions, max_points, criteria, blocks, resources } = data;
  return (
    <>
      {typeof instructions === "string" && <MarkdownWithFormulas source={instructions} byStaff />}
      {Array.isArray(blocks) && <ContentBlocksView blocks={blocks} />}
      {Array.isArray(resources) && resources.length > 0 && <ContentLinkList links={resources} />}
      {typeof max_points === "number" && (
        <p class="quiet">{t("assignment.points", { points: formatNumber(max_points) })}</p>
      )}
      {typeof criteria === "string" && (
        <>
          <h2>{t("assignment.criteria")}</h2>
          <MarkdownWithFormulas source={criteria} byStaff />
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

const Criteria = ({ of }: { of: (string | AssignmentCriterion)[] }) => (
  <ul>
    {of.map((one, at) => (
      // Criteria have no ids and a fixed order.
      <li key={at}>{wordsOf(one)}</li>
    ))}
  </ul>
);

/** A criterion is a string, or an object with its text under one of several keys. */
function wordsOf(criterion: string | AssignmentCriterion): string {
  if (typeof criterion !== "object" || criterion === null) return String(criterion);
  const { title, label, text, description, points } = criterion;
  const words = [title ?? label, text ?? description].filter(Boolean).join(": ");
  return points === undefined
    ? words
    : `${words} · ${t("assignment.points", { points: formatNumber(points) })}`;
}
