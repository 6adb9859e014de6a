import { SelectField } from "../parts/field.tsx";
import { chosen } from "../parts/form.tsx";
import { t } from "../texts.ts";
import { type Data, valueAt } from "./at-path.ts";

/** What an item of that kind is worth, as its data says it. Pure. */
const pointsIn = (kind: string, data: Data): unknown =>
  kind === "quiz"
    ? valueAt(data, "mastery.points")
    : (valueAt(data, "grading.max_points") ?? valueAt(data, "max_points"));

/** Whether an item gives other points than before: scores that stand are scaled then, or stay. Pure. */
export const givesOtherPoints = (kind: string, before: Data, after: Data): boolean =>
  pointsIn(kind, before) !== pointsIn(kind, after);

/** Asks what becomes of scores that stand. */
export const RescaleField = () => (
  <SelectField
    name="rescale"
    label={t("rescale")}
    about={t("rescale.about")}
    of={[
      ["", t("rescale.none")],
      ["true", t("rescale.scale")],
      ["false", t("rescale.stay")],
    ]}
    chosen=""
  />
);

/** What was chosen, for the body of the change; nothing where there is no such choice, or none was made. */
export function rescaleIn(fields: FormData): { rescale?: boolean } {
  const text = chosen<"" | "true" | "false">(fields, "rescale");
  return text === "" ? {} : { rescale: text === "true" };
}
