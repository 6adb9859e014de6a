import { allOf } from "learning-platform-client";
import { SelectByIdField, toTitleOption } from "../components/id-field.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { type ContentData, withValueAtPath } from "./at-path.ts";

type PoolFieldProps = {
  university: number;
  course: number;
  data: ContentData;
  onChange: (data: ContentData) => void;
};

/** The pool that a quiz draws from: of its course or of the university. */
export function QuestionPoolSelect({ university, course, data, onChange }: PoolFieldProps) {
  const query = { university_id: university, limit: 1000 };
  const pools = useQuery(
    (signal) => allOf(apiClient.listQuestionPools, { params: { query }, signal }),
    [university],
  );
  const path = "question_pool_id";
  return (
    <QueryBoundary of={pools}>
      {(found) => {
        const usable = found.filter(({ course_id }) => course_id === null || course_id === course);
        return (
          <>
            <SelectByIdField
              name={`data_json.${path}`}
              label={t("quiz.pool")}
              of={usable.map(toTitleOption)}
              chosen={Number(data[path]) || null}
              onChoose={(id) => onChange(withValueAtPath(data, path, id))}
            />
            <a href={screenHref("authoring", course, "questions")}>{t("pools")}</a>
          </>
        );
      }}
    </QueryBoundary>
  );
}
