import type { Schemas } from "learning-platform-client";
import { CheckField, Field, NumberField } from "../components/field.tsx";
import { isChecked, textField } from "../components/form.tsx";
import { numberFieldOrNull } from "../components/localized-number.ts";
import { t } from "../texts.ts";

export const GroupFields = ({ group }: { group?: Schemas["Group"] }) => (
  <div class="fields">
    <Field name="name" label={t("groups.name")}>
      <input required maxLength={255} value={group?.name ?? ""} />
    </Field>
    <NumberField
      name="capacity"
      label={t("groups.capacity")}
      about={t("groups.capacity.about")}
      min={1}
      value={group?.capacity}
    />
    <CheckField name="self_enrollment" label={t("groups.self")}>
      <input type="checkbox" defaultChecked={group?.self_enrollment ?? false} />
    </CheckField>
  </div>
);

export const readGroupFields = (fields: FormData): Schemas["GroupUpdate"] => ({
  name: textField(fields, "name"),
  capacity: numberFieldOrNull(fields, "capacity"),
  self_enrollment: isChecked(fields, "self_enrollment"),
});
