import type { Schemas } from "learning-platform-client";
import { formatToOneDecimal } from "../format.ts";
import { t } from "../texts.ts";

type Levels = NonNullable<Schemas["Submission"]["rubric"]>;

/** The rubric levels as recorded with the grade. */
export const ChosenRubricLevels = ({ levels }: { levels: Levels }) => (
  <section aria-label={t("rubric")}>
    <dl>
      {levels.map((one) => (
        <div key={one.criterion_id}>
          <dt>
            <strong>{one.title}</strong>{" "}
            <span class="quiet">
              {t("rubric.result", {
                points: formatToOneDecimal(one.points),
                most: formatToOneDecimal(one.most),
              })}
            </span>
          </dt>
          <dd>
            {one.level} {one.description && <span class="quiet">{one.description}</span>}
          </dd>
          {one.comment && <dd>{one.comment}</dd>}
        </div>
      ))}
    </dl>
  </section>
);
