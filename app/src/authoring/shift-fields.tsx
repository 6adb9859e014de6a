import { useState } from "preact/hooks";
import { Field, NumberField } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { type TextKey, t } from "../texts.ts";

const all = ["none", "starts_on", "shift_days"] as const;
type Shift = (typeof all)[number];
const wordsOfShift: Record<Shift, TextKey> = {
  none: "copy.dates.none",
  starts_on: "copy.dates.starts_on",
  shift_days: "copy.dates.shift_days",
};

/** How dates are shifted: to a first day, by days, or (for copies) not at all. */
export function DateShiftFields({ shifts = all }: { shifts?: readonly Shift[] }) {
  const [shift, choose] = useState<Shift>(shifts[0] ?? "none");
  return (
    <div class="fields">
      <div>
        <LabeledSelect
          label={t("copy.dates")}
          value={shift}
          options={shifts.map((one) => [one, t(wordsOfShift[one])] as const)}
          onChoose={choose}
        />
      </div>
      {shift === "starts_on" && (
        <Field name="starts_on" label={t("copy.starts_on")} about={t("copy.starts_on.about")}>
          <input type="date" required />
        </Field>
      )}
      {shift === "shift_days" && (
        <NumberField
          name="shift_days"
          label={t("copy.shift_days")}
          about={t("copy.shift_days.about")}
          step={1}
          min={-36_500}
          max={36_500}
          required
        />
      )}
    </div>
  );
}

export function readDateShiftFields(fields: FormData): { starts_on?: string; shift_days?: number } {
  const starts_on = readTextField(fields, "starts_on");
  const shift_days = readNumberFieldOrNull(fields, "shift_days");
  return { ...(starts_on && { starts_on }), ...(shift_days !== null && { shift_days }) };
}
