import { allOf } from "learning-platform-client";
import { SelectByIdField } from "../components/id-field.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { type ContentData, withValueAtPath } from "./at-path.ts";

type ToolFieldProps = { course: number; data: ContentData; onChange: (data: ContentData) => void };

/** The tool of an item: those that administrators deployed in the course. */
export function ExternalToolSelect({ course, data, onChange }: ToolFieldProps) {
  const tools = useCourseLtiTools(course);
  const path = "lti_tool_id";
  return (
    <QueryBoundary of={tools}>
      {(found) => (
        <>
          <SelectByIdField
            name={`data_json.${path}`}
            label={t("tool")}
            of={found.map(({ id, name }): [number, string] => [id, name])}
            chosen={Number(data[path]) || null}
            onChoose={(id) => onChange(withValueAtPath(data, path, id))}
          />
          {found.length === 0 && <p class="quiet">{t("tool.none")}</p>}
        </>
      )}
    </QueryBoundary>
  );
}

export const useCourseLtiTools = (course: number) =>
  useQuery(
    (signal) =>
      allOf(apiClient.listCourseLtiTools, {
        params: { path: { course_id: course }, query: { limit: 1000 } },
        signal,
      }),
    [course],
  );
