import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Disclosure } from "../components/disclosure.tsx";
import { Empty } from "../components/empty.tsx";
import { Form } from "../components/form.tsx";
import { Back } from "../components/offering-screen.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { CourseScreen } from "./course-screen.tsx";
import { DatesForm } from "./dates-form.tsx";
import { ShiftFields, shiftOf } from "./shift-fields.tsx";

type Line = Schemas["OfferingDateLine"];
type CalendarScreenProps = { course: string; offering: string };

/** When the modules and items of a course open and are due in one run of it. */
export const CalendarScreen = ({ course, offering }: CalendarScreenProps) => (
  <CourseScreen course={course} part="offerings">
    {() => <Calendar course_id={Number(course)} offering_id={Number(offering)} />}
  </CourseScreen>
);

type Path = { course_id: number; offering_id: number };

function Calendar(path: Path) {
  const [moves, count] = useState(0);
  const lines = useQuery(
    (signal) => allOf(api.listCourseOfferingDates, { params: { path }, signal }),
    [path.offering_id],
  );
  const set = async (dates: Schemas["OfferingDate"][]) =>
    lines.set(await dataOf(api.setCourseOfferingDates({ params: { path }, body: { dates } })));
  return (
    <>
      <Back route={["authoring", path.course_id, "offerings", path.offering_id]}>
        {t("calendar.dates.back")}
      </Back>
      <h2>{t("calendar.dates")}</h2>
      <p class="quiet">{t("calendar.dates.about")}</p>
      <QueryBoundary of={lines}>
        {(found) =>
          found.length === 0 ? (
            <Empty>{t("calendar.dates.empty")}</Empty>
          ) : (
            <>
              <Move
                path={path}
                onMoved={(moved) => {
                  lines.set(moved);
                  count(moves + 1);
                }}
              />
              <DatesForm key={moves} lines={found} set={set} />
            </>
          )
        }
      </QueryBoundary>
    </>
  );
}

/** All dates at once, to another first day or by so many days. */
function Move({ path, onMoved }: { path: Path; onMoved: (lines: Line[]) => void }) {
  const move = async (fields: FormData) =>
    onMoved(await dataOf(api.moveCourseOfferingDates({ params: { path }, body: shiftOf(fields) })));
  return (
    <Disclosure label={t("calendar.dates.move")}>
      {() => (
        <Form send={move} submit={t("calendar.dates.move.submit")}>
          <p class="quiet">{t("calendar.dates.move.about")}</p>
          <ShiftFields shifts={["starts_on", "shift_days"]} />
        </Form>
      )}
    </Disclosure>
  );
}
