import { SelectField } from "../components/field.tsx";
import { readSelectField } from "../components/form.tsx";
import { t } from "../texts.ts";

export const RescaleScoresField = () => (
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

/** The choice for the request body. Empty if the form has no such field or nothing was chosen. */
export function readRescaleScoresField(fields: FormData): { rescale?: boolean } {
  const text = readSelectField<"" | "true" | "false">(fields, "rescale");
  return text === "" ? {} : { rescale: text === "true" };
}
