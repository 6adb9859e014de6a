import { formatToOneDecimal } from "../format.ts";
import { useContentLanguage } from "../markup/content-language.ts";
import { t } from "../texts.ts";
import type { GradingRubric, RubricCriterion } from "./content-data.ts";

export const rubricLevelLabel = ({ title, points }: { title: string; points: number }): string =>
  t("rubric.level", { title, points: formatToOneDecimal(points) });

/** A rubric's criteria and levels. Renders nothing without a rubric. */
export function RubricView({ rubric }: { rubric: GradingRubric | undefined }) {
  const language = useContentLanguage();
  const criteria = validRubricCriteria(rubric);
  if (criteria.length === 0) return null;
  return (
    <>
      <h2>{t("rubric")}</h2>
      <dl>
        {criteria.map((one) => (
          <div key={one.id}>
            <dt lang={language}>
              <strong>{one.title}</strong> {one.description && <span class="quiet">{one.description}</span>}
            </dt>
            {one.levels.map((level) => (
              <dd key={level.id}>
                {rubricLevelLabel(level)}{" "}
                {level.description && (
                  <span class="quiet" lang={language}>
                    {level.description}
                  </span>
                )}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </>
  );
}

/** Criteria with a list of levels. Anything else is ignored. */
export const validRubricCriteria = (rubric: GradingRubric | undefined): RubricCriterion[] =>
  Array.isArray(rubric?.criteria) ? rubric.criteria.filter((one) => Array.isArray(one?.levels)) : [];
