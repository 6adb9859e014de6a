import type { Schemas } from "learning-platform-client";
import { Form } from "../components/form.tsx";
import { formatDeadlineOmittingDayEnd, formatOpeningOmittingMidnight } from "../format.ts";
import { t } from "../texts.ts";
import { readChangedContentDates } from "./changed-content-dates.ts";
import { InheritableDateField } from "./date-field.tsx";

type Line = Schemas["OfferingDateLine"];

type DatesFormProps = {
  lines: Line[];
  set: (dates: Schemas["OfferingDate"][]) => Promise<unknown>;
  ofGroup?: boolean;
};

export function OfferingContentDatesForm({ lines, set, ofGroup = false }: DatesFormProps) {
  const save = async (fields: FormData) => {
    const dates = readChangedContentDates(fields, lines);
    if (dates.length > 0) await set(dates);
  };
  return (
    <Form class="form card" send={save} submit={t("save")} done={t("saved")}>
      {lines.map((line, number) => (
        <fieldset key={`${line.module_id} ${line.content_item_id}`}>
          <legend>{line.title}</legend>
          <p class="quiet">{holds(line)}</p>
          <div class="fields">
            <InheritableDateField
              name={`opens.${number}`}
              label={t("available.from")}
              own={line.own.available_from}
              course={line.course.available_from}
              ofGroup={ofGroup}
            />
            <InheritableDateField
              name={`due.${number}`}
              label={t("due.at")}
              own={line.own.due_at}
              course={line.course.due_at}
              ofGroup={ofGroup}
            />
          </div>
        </fieldset>
      ))}
    </Form>
  );
}

const holds = ({ available_from, due_at }: Line): string =>
  [
    available_from && t("calendar.dates.opens", { day: formatOpeningOmittingMidnight(available_from) }),
    due_at ? t("due.on", { day: formatDeadlineOmittingDayEnd(due_at) }) : t("calendar.dates.not.due"),
  ]
    .filter(Boolean)
    .join(" · ");
