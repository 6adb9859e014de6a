import { SelectField } from "../components/field.tsx";
import { chosen } from "../components/form.tsx";
import { t } from "../texts.ts";

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
