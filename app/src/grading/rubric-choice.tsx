import type { Schemas } from "learning-platform-client";
import type { RubricCriterion } from "../content/content-data.ts";
import { rubricLevelLabel } from "../content/rubric.tsx";
import { t } from "../texts.ts";

type Kept = Schemas["Submission"]["rubric"];
type Choices = NonNullable<Schemas["SubmissionGrade"]["rubric"]>;
type ChoiceProps = {
  criteria: RubricCriterion[];
  kept: Kept;
  /** Receives the sum of the points once each criterion has a level. */
  onWhole: (points: number) => void;
};

const levelName = (criterion: RubricCriterion) => `level ${criterion.id}`;
const commentName = (criterion: RubricCriterion) => `comment ${criterion.id}`;

export function RubricLevelsField({ criteria, kept, onWhole }: ChoiceProps) {
  const choose = (event: Event) => {
    const { form } = event.currentTarget as HTMLInputElement;
    const points = form && criteria.map((one) => chosenLevel(new FormData(form), one)?.points);
    if (points?.every((one) => one !== undefined))
      onWhole(Number(points.reduce((sum, one) => sum + one, 0).toFixed(2)));
  };
  const isGone = kept?.some((one) => !isThere(criteria, one));
  return (
    <>
      {isGone && <p class="quiet">{t("rubric.changed")}</p>}
      {criteria.map((criterion) => {
        const former = kept?.find((one) => one.criterion_id === criterion.id);
        return (
          <fieldset key={criterion.id} class="ticks">
            <legend>{criterion.title}</legend>
            {criterion.description && <small>{criterion.description}</small>}
            {criterion.levels.map((level) => (
              <label key={level.id} class="check">
                <input
                  type="radio"
                  name={levelName(criterion)}
                  value={level.id}
                  defaultChecked={former?.level_id === level.id}
                  onChange={choose}
                />
                <span>
                  {rubricLevelLabel(level)} {level.description && <small>{level.description}</small>}
                </span>
              </label>
            ))}
            <label>
              {t("rubric.comment", { title: criterion.title })}
              <input name={commentName(criterion)} maxLength={2000} defaultValue={former?.comment ?? ""} />
            </label>
          </fieldset>
        );
      })}
    </>
  );
}

const isThere = (criteria: RubricCriterion[], kept: NonNullable<Kept>[number]): boolean =>
  criteria.some(
    ({ id, levels }) => id === kept.criterion_id && levels.some((one) => one.id === kept.level_id),
  );

const chosenLevel = (fields: FormData, criterion: RubricCriterion) =>
  criterion.levels.find((one) => one.id === fields.get(levelName(criterion)));

/** The chosen levels, or undefined if there are none, which keeps the earlier ones. */
export function readRubricLevelsField(fields: FormData, criteria: RubricCriterion[]): Choices | undefined {
  const chosen = criteria.flatMap((criterion) => {
    const level = chosenLevel(fields, criterion);
    const comment = String(fields.get(commentName(criterion)) ?? "").trim();
    return level ? [{ criterion_id: criterion.id, level_id: level.id, ...(comment && { comment }) }] : [];
  });
  return chosen.length > 0 ? chosen : undefined;
}
