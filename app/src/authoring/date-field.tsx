import { useState } from "preact/hooks";
import { DateTimeField } from "../components/date-time-field.tsx";
import { SelectField } from "../components/field.tsx";
import { formatDayAndTime } from "../format.ts";
import { t } from "../texts.ts";
import { dateSourceOfOwnDate, type OwnOrCourseDateSource } from "./changed-content-dates.ts";

type DateFieldProps = {
  name: string;
  label: string;
  /** The run's own date: undefined inherits the course's, null clears it. */
  own: string | null | undefined;
  course: string | null;
  /** Whether the date is a group's. A group inherits from the run and the course. */
  ofGroup?: boolean;
};

/** A date of a run: inherited, cleared or its own. */
export function InheritableDateField({ name, label, own, course, ofGroup = false }: DateFieldProps) {
  const [source, choose] = useState<OwnOrCourseDateSource>(dateSourceOfOwnDate(own));
  const ofCourse = course
    ? t(ofGroup ? "groups.dates.without" : "calendar.dates.of.course", { day: formatDayAndTime(course) })
    : t(ofGroup ? "groups.dates.without.none" : "calendar.dates.of.course.none");
  return (
    <div>
      <SelectField
        name={`${name}.source`}
        label={label}
        of={[
          ["course", ofCourse],
          ["own", t("calendar.dates.own")],
          ["none", t("calendar.dates.none")],
        ]}
        chosen={source}
        onChoose={(value) => choose(value as OwnOrCourseDateSource)}
      />
      {source === "own" && (
        <DateTimeField
          name={name}
          label={t("calendar.dates.moment", { label })}
          value={own ?? course}
          required
        />
      )}
    </div>
  );
}
