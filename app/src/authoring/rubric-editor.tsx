import { FieldArray } from "../components/field-array.tsx";
import { t } from "../texts.ts";
import { type ContentData, objectsInListAtPath, withValueAtPath } from "./at-path.ts";
import { type ContentDataFieldDefinition, ContentDataFields } from "./data-fields.tsx";

const criterionFields: readonly ContentDataFieldDefinition[] = [
  { path: "title", label: "title", as: "line" },
  { path: "description", label: "description", as: "line" },
];
const levelFields: readonly ContentDataFieldDefinition[] = [
  { path: "title", label: "title", as: "line" },
  { path: "points", label: "points", as: "number" },
  { path: "description", label: "description", as: "line" },
];

/** Grades refer to this id, so it survives reordering. */
const freshId = () => crypto.randomUUID().slice(0, 8);
const level = (title = "", points = 0): ContentData => ({ id: freshId(), title, points });
const criterion = (): ContentData => ({ id: freshId(), title: "", levels: [level()] });

type EditorProps = { data: ContentData; onChange: (data: ContentData) => void };

/** Criteria with their levels. Without any, the item has no rubric. */
export const RubricEditor = ({ data, onChange }: EditorProps) => (
  <>
    <FieldArray
      label={t("rubric")}
      rows={objectsInListAtPath(data, "rubric.criteria")}
      onChange={(rows) =>
        onChange(withValueAtPath(data, "rubric.criteria", rows.length > 0 ? rows : undefined))
      }
      add={[[t("rubric.add"), criterion]]}
    >
      {(row, at, change) => (
        <>
          <ContentDataFields
            fields={criterionFields}
            within={`data_json.rubric.criteria.${at}`}
            data={row}
            onChange={change}
          />
          <FieldArray
            label={t("rubric.levels")}
            rows={objectsInListAtPath(row, "levels")}
            onChange={(levels) => change({ ...row, levels })}
            add={[[t("rubric.level.add"), () => level()]]}
          >
            {(one, place, changeLevel) => (
              <ContentDataFields
                fields={levelFields}
                within={`data_json.rubric.criteria.${at}.levels.${place}`}
                data={one}
                onChange={changeLevel}
              />
            )}
          </FieldArray>
        </>
      )}
    </FieldArray>
    <p class="quiet">{t("rubric.about")}</p>
  </>
);
