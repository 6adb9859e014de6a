import type { Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { readTextFieldOrNull } from "../components/form.tsx";
import { t } from "../texts.ts";

type University = Schemas["University"];

/** Branding: the name and color that replace the platform's. */
export function BrandNameColorFields({
  university: { display_name, color, shades },
}: {
  university: University;
}) {
  return (
    <>
      <div class="fields">
        <Field
          name="display_name"
          label={t("university.display.name")}
          about={t("university.display.name.about")}
        >
          <input maxLength={60} defaultValue={display_name ?? ""} />
        </Field>
        <Field name="color" label={t("university.color")} about={t("university.color.about")}>
          <input
            maxLength={7}
            pattern="#[0-9a-fA-F]{6}"
            title={t("university.color.form")}
            placeholder="#3457d5"
            spellcheck={false}
            defaultValue={color ?? ""}
          />
        </Field>
      </div>
      {shades && (
        <ul class="swatches">
          <Swatch label={t("university.color.light")} shades={shades.light} />
          <Swatch label={t("university.color.dark")} shades={shades.dark} />
        </ul>
      )}
    </>
  );
}

type SwatchProps = { label: string; shades: NonNullable<University["shades"]>["light"] };

const Swatch = ({ label, shades: { accent, soft } }: SwatchProps) => (
  <li style={{ color: accent, backgroundColor: soft, borderColor: accent }}>
    {label} <code>{accent}</code>
  </li>
);

export const readBrandNameColorFields = (fields: FormData) => ({
  display_name: readTextFieldOrNull(fields, "display_name"),
  color: readTextFieldOrNull(fields, "color"),
});
