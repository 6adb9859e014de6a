import { useState } from "preact/hooks";
import { LabelWithScreenReaderSentence } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { OfferingTabLayout } from "../components/offering-tab-layout.tsx";
import { PagingButtonRow } from "../components/paging-buttons.tsx";
import { PersonRowHeader } from "../components/person-header.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { confirmLosingUnsavedEdits } from "../components/unsaved.ts";
import { formatToOneDecimal } from "../format.ts";
import { GroupFilter } from "../groups/group-choice.tsx";
import { TextInContentLanguage } from "../markup/text-in-content-language.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import { useMayEditCourse } from "../use-may-edit-course.ts";
import { FinalGradesPanel } from "./final-grades-panel.tsx";
import { ImportGradesForm } from "./import-grades.tsx";
import { LateAndDroppedNotes } from "./late-and-dropped-notes.tsx";
import { LmsGradeSyncLabels, LmsGradeSyncPanel } from "./lms-grade-sync.tsx";
import { personNameInGrades } from "./person-name-in-grades.ts";
import { fetchGradebookInPages, type Gradebook, type GradebookPersonRow as Row } from "./read-gradebook.ts";
import { GradeReleaseControls } from "./releases.tsx";
import { type ChosenGradebookCell, SetOrExcuseGradeForm } from "./set-or-excuse-grade.tsx";

type RouteProps = { course: string; offering: string };

const pageSize = 50;

export function GradebookScreen({ course, offering }: RouteProps) {
  const [q, search] = useState("");
  const [group, narrow] = useState("");
  const [limit, setLimit] = useState(pageSize);
  const [chosen, choose] = useState<ChosenGradebookCell>();
  const isAuthor = useMayEditCourse(course);
  const gradebook = useQuery(
    (signal) => fetchGradebookInPages(Number(offering), { q, group, wanted: limit, signal }),
    [offering, q, group],
    limit,
  );
  const decided = () => {
    choose(undefined);
    gradebook.again();
  };
  return (
    <OfferingTabLayout
      course={course}
      offering={offering}
      side="teaching"
      part="gradebook"
      title={t("gradebook")}
    >
      <SearchForm label={t("roster.search.number")} onSearch={search}>
        <GroupFilter
          offering={offering}
          value={group}
          onChoose={(one) => confirmLosingUnsavedEdits() && narrow(one)}
        />
      </SearchForm>
      <QueryBoundary of={gradebook}>
        {(book) => (
          <>
            {book.columns.length === 0 && <EmptyMessage>{t("gradebook.no.items")}</EmptyMessage>}
            {book.rows.length === 0 ? (
              <EmptyMessage>{t("roster.empty")}</EmptyMessage>
            ) : (
              <GradeTable
                {...{ course, offering }}
                book={book}
                chosen={chosen}
                isAuthor={isAuthor}
                onChoose={(one) => confirmLosingUnsavedEdits() && choose(one)}
              />
            )}
            <PagingButtonRow of={book} adds>
              {book.total > book.rows.length && (
                <ButtonWithFocusFallback onClick={() => setLimit(limit + pageSize)}>
                  {t("more")}
                </ButtonWithFocusFallback>
              )}
            </PagingButtonRow>
            {chosen && (
              <SetOrExcuseGradeForm
                key={`${chosen.row.user_id} ${chosen.at}`}
                offering={Number(offering)}
                chosen={chosen}
                onDecided={decided}
                onClose={() => choose(undefined)}
              />
            )}
            {isAuthor && (
              <GradeReleaseControls
                offering={Number(offering)}
                columns={book.columns}
                onReleased={gradebook.again}
              />
            )}
            <LmsGradeSyncPanel offering={Number(offering)} book={book} onSent={gradebook.again} />
            <ImportGradesForm
              course={Number(course)}
              offering={Number(offering)}
              book={book}
              onImported={gradebook.again}
            />
            <FinalGradesPanel
              offering={Number(offering)}
              book={book}
              isAuthor={isAuthor}
              onFinished={gradebook.again}
            />
          </>
        )}
      </QueryBoundary>
    </OfferingTabLayout>
  );
}

type TableProps = RouteProps & {
  book: Gradebook;
  chosen: ChosenGradebookCell | undefined;
  isAuthor: boolean;
  onChoose: (chosen: ChosenGradebookCell) => void;
};

function GradeTable({ course, offering, book, chosen, isAuthor, onChoose }: TableProps) {
  const { columns, rows } = book;
  return (
    <section class="table gradebook" tabIndex={0} aria-label={t("gradebook")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("roster.name")}</th>
            {columns.map((column) => (
              <th key={column.content_item_id} scope="col">
                <a href={screenHref("teaching", course, offering, "items", column.content_item_id)}>
                  <TextInContentLanguage>{column.title}</TextInContentLanguage>
                </a>
                <small>
                  {t("gradebook.of", { points: formatToOneDecimal(column.max_points) })}
                  {column.extra_points > 0 &&
                    ` · ${t("grades.extra", { points: formatToOneDecimal(column.extra_points) })}`}
                  {column.group_name && ` · ${column.group_name}`}
                </small>
                {column.is_anonymous && <span class="badge">{t("anonymous")}</span>}
                {!column.is_released && <span class="badge">{t("gradebook.unreleased")}</span>}
              </th>
            ))}
            <th scope="col">{t("gradebook.course")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.user_id}>
              <PersonRowHeader person={{ ...row, full_name: personNameInGrades(row) }} />
              {columns.map((column, at) => (
                <td key={column.content_item_id}>
                  <Cell row={row} column={column} at={at} chosen={chosen} onChoose={onChoose} />
                  {row.cells[at] && <LateAndDroppedNotes of={row.cells[at]} />}
                  <LmsGradeSyncLabels row={row} item={column.content_item_id} />
                </td>
              ))}
              <td>
                <CourseGrade row={row} chosen={chosen} isAuthor={isAuthor} onChoose={onChoose} />
                <LmsGradeSyncLabels row={row} item={null} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type CellProps = {
  row: Row;
  column: Gradebook["columns"][number];
  at: number;
} & Pick<TableProps, "chosen" | "onChoose">;

function Cell({ row, column, at, chosen, onChoose }: CellProps) {
  const cell = row.cells[at];
  if (!cell) return null;
  if (cell.state === "ANONYMOUS") return <span class="quiet">{t("grade.ANONYMOUS")}</span>;
  const words =
    cell.state === "EXCUSED" || cell.score === null
      ? t(`grade.${cell.state}`)
      : formatToOneDecimal(cell.score);
  return (
    <ButtonWithFocusFallback
      class={`quiet grade ${cell.state.toLowerCase()}`}
      aria-pressed={chosen?.row.user_id === row.user_id && chosen.at === at}
      onClick={() => onChoose({ row, at, column })}
    >
      <LabelWithScreenReaderSentence
        text="gradebook.cell"
        title={column.title}
        values={{ name: personNameInGrades(row), grade: words }}
      >
        {cell.score === null && cell.state === "NONE" ? "–" : words}
      </LabelWithScreenReaderSentence>
    </ButtonWithFocusFallback>
  );
}

type CourseGradeProps = Pick<CellProps, "row" | "chosen" | "onChoose"> & Pick<TableProps, "isAuthor">;

function CourseGrade({ row, chosen, isAuthor, onChoose }: CourseGradeProps) {
  const { current_percent, current_letter, final, score_override } = row;
  const score = final ? final.final_score : (score_override ?? current_percent);
  const letter = final ? final.letter_grade : current_letter;
  const words = score === null ? "–" : [`${formatToOneDecimal(score)} %`, letter].filter(Boolean).join(" ");
  return (
    <>
      {isAuthor ? (
        <ButtonWithFocusFallback
          class="quiet grade"
          aria-pressed={chosen?.row.user_id === row.user_id && chosen.at === undefined}
          aria-label={t("gradebook.cell", {
            name: personNameInGrades(row),
            title: t("gradebook.course"),
            grade: words,
          })}
          onClick={() => onChoose({ row, at: undefined, column: undefined })}
        >
          {words}
        </ButtonWithFocusFallback>
      ) : (
        <span class="grade">{words}</span>
      )}
      {final && <span class="badge completed">{t("grades.final")}</span>}
      {final?.is_outdated && <span class="badge">{t("grades.outdated")}</span>}
    </>
  );
}
