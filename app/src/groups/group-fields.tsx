import type { Schemas } from "learning-platform-client";
import { CheckboxField, Field, NumberField } from "../components/field.tsx";
import { isCheckboxFieldChecked, readTextField } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
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
    <CheckboxField name="self_enrollment" label={t("groups.self")}>
      <input type="checkbox" defaultChecked={group?.self_enrollment ?? false} />
    </CheckboxField>
  </div>
);

export const readGroupFields = (fields: FormData): Schemas["GroupCreate"] => ({
  name: readTextField(fields, "name"),
  capacity: readNumberFieldOrNull(fields, "capacity"),
  self_enrollment: isCheckboxFieldChecked(fields, "self_enrollment"),
});
