import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { Form } from "../components/form.tsx";
import { SelectByIdField } from "../components/id-field.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { OfferingContentDatesForm } from "./content-dates-form.tsx";
import { CourseAuthoringLayout } from "./course-layout.tsx";
import { DateShiftFields, readDateShiftFields } from "./shift-fields.tsx";

type Line = Schemas["OfferingDateLine"];
type CalendarScreenProps = { course: string; offering: string };

/** The opening and due dates of a course's modules and items in one offering. */
export const OfferingContentDatesScreen = ({ course, offering }: CalendarScreenProps) => (
  <CourseAuthoringLayout course={course} part="offerings">
    {() => <Calendar course_id={Number(course)} offering_id={Number(offering)} />}
  </CourseAuthoringLayout>
);

type Path = { course_id: number; offering_id: number };

function Calendar(path: Path) {
  const [moves, count] = useState(0);
  const lines = useQuery(
    (signal) => allOf(apiClient.listCourseOfferingDates, { params: { path }, signal }),
    [path.offering_id],
  );
  const set = async (dates: Schemas["OfferingDate"][]) =>
    lines.set(await dataOf(apiClient.setCourseOfferingDates({ params: { path }, body: { dates } })));
  return (
    <>
      <BackLink route={["authoring", path.course_id, "offerings", path.offering_id]}>
        {t("calendar.dates.back")}
      </BackLink>
      <h2>{t("calendar.dates")}</h2>
      <p class="quiet">{t("calendar.dates.about")}</p>
      <QueryBoundary of={lines}>
        {(found) =>
          found.length === 0 ? (
            <EmptyMessage>{t("calendar.dates.empty")}</EmptyMessage>
          ) : (
            <>
              <Move
                path={path}
                lines={found}
                onMoved={(moved) => {
                  lines.set(moved);
                  count(moves + 1);
                }}
              />
              <OfferingContentDatesForm key={moves} lines={found} set={set} />
            </>
          )
        }
      </QueryBoundary>
    </>
  );
}

/** Moves all dates to another first day or by a number of days. */
function Move({ path, lines, onMoved }: { path: Path; lines: Line[]; onMoved: (lines: Line[]) => void }) {
  const modules = lines.filter(({ content_item_id }) => content_item_id === null);
  const move = async (fields: FormData) => {
    const module = readNumberFieldOrNull(fields, "module_id");
    const body = { ...readDateShiftFields(fields), ...(module !== null && { module_ids: [module] }) };
    onMoved(await dataOf(apiClient.moveCourseOfferingDates({ params: { path }, body })));
  };
  return (
    <LazyDisclosureCard label={t("calendar.dates.move")}>
      {() => (
        <Form send={move} submit={t("calendar.dates.move.submit")}>
          <p class="quiet">{t("calendar.dates.move.about")}</p>
          <SelectByIdField
            name="module_id"
            label={t("calendar.dates.move.of")}
            of={modules.map(({ module_id, title }) => [module_id, title] as const)}
            chosen={null}
            none={t("calendar.dates.move.all")}
          />
          <DateShiftFields shifts={["starts_on", "shift_days"]} />
        </Form>
      )}
    </LazyDisclosureCard>
  );
}
