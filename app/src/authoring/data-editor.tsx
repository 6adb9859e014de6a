import type { ComponentChildren } from "preact";
import { FieldArray } from "../components/field-array.tsx";
import { type TextKey, t } from "../texts.ts";
import { ImageAssetField } from "./asset-field.tsx";
import { type ContentData, objectsInListAtPath, withValueAt } from "./at-path.ts";
import {
  assignmentFields,
  labFields,
  labFileFields,
  linkFields,
  quizFields,
  resourceFields,
  scormFields,
  toolFields,
  videoSegmentFields,
} from "./content-type-fields.ts";
import { type ContentDataField, ContentDataFields } from "./data-fields.tsx";
import { VideoSourceFields } from "./film-editor.tsx";
import { withVideoKindIfVideoLink } from "./film-fields.ts";
import { PoolField } from "./pool-field.tsx";
import { RowFileUpload } from "./row-file.tsx";
import { RubricEditor } from "./rubric-editor.tsx";
import { ScormPackageField } from "./scorm-package-field.tsx";
import { ToolField } from "./tool-field.tsx";

export type ContentDataEditorProps = {
  kind: string;
  university: number;
  course: number;
  data: ContentData;
  onChange: (data: ContentData) => void;
};

/** The editor for each content type. Types that administrators added are edited as JSON. */
export function ContentDataEditor({ kind, ...edited }: ContentDataEditorProps) {
  switch (kind) {
    case "text":
      return <Blocks {...edited} />;
    case "video":
      return (
        <>
          <VideoSourceFields {...edited} />
          <FieldArrayOf
            path="transcript.segments"
            label="transcript"
            add="segment.add"
            fields={videoSegmentFields}
            {...edited}
          />
        </>
      );
    case "quiz":
      return (
        <>
          <PoolField {...edited} />
          <FieldGroup fields={quizFields} {...edited} />
        </>
      );
    case "engineering_lab":
      return (
        <>
          <FieldGroup fields={labFields} {...edited} />
          <FieldArrayOf
            path="files"
            label="lab.files"
            add="file.add"
            fields={labFileFields}
            fresh={{ path: "", role: "student_visible" }}
            extra={(file) => <RowFileUpload names="path" {...file} course={edited.course} />}
            {...edited}
          />
          <RubricEditor {...edited} />
        </>
      );
    case "assignment":
      return (
        <>
          <FieldGroup fields={assignmentFields} {...edited} />
          <Resources label="resources" {...edited} />
          <RubricEditor {...edited} />
        </>
      );
    case "scorm":
      return (
        <>
          <ScormPackageField {...edited} />
          <FieldGroup fields={scormFields} {...edited} />
        </>
      );
    case "resource":
      return <Resources label="kind.resource" {...edited} />;
    case "external_tool":
      return (
        <>
          <ToolField {...edited} />
          <FieldGroup fields={toolFields} {...edited} />
        </>
      );
    default:
      return null;
  }
}

type Edited = Omit<ContentDataEditorProps, "kind">;

const FieldGroup = ({ fields, data, onChange }: Edited & { fields: readonly ContentDataField[] }) => (
  <div class="fields">
    <ContentDataFields fields={fields} within="data_json" data={data} onChange={onChange} />
  </div>
);

const Resources = ({ label, ...edited }: Edited & { label: TextKey }) => (
  <FieldArrayOf
    path="resources"
    label={label}
    add="link.add"
    fields={resourceFields}
    recognize={withVideoKindIfVideoLink}
    extra={(file) => <RowFileUpload names="label" {...file} course={edited.course} />}
    {...edited}
  />
);

type FieldArrayOfProps = Pick<Edited, "data" | "onChange"> & {
  path: string;
  label: TextKey;
  add: TextKey;
  fields: readonly ContentDataField[];
  fresh?: ContentData;
  /** The path of `data` in the request. */
  within?: string;
  /** Derives fields from what was typed into a row. */
  recognize?: (before: ContentData, after: ContentData) => ContentData;
  /** Content below a row's fields. */
  extra?: (row: { row: ContentData; change: (row: ContentData) => void }) => ComponentChildren;
};

function FieldArrayOf({
  path,
  label,
  add,
  fields,
  fresh = {},
  within = "data_json",
  recognize = (_, after) => after,
  extra,
  data,
  onChange,
}: FieldArrayOfProps) {
  return (
    <FieldArray
      label={t(label)}
      rows={objectsInListAtPath(data, path)}
      onChange={(rows) => onChange(withValueAt(data, path, rows))}
      add={[[t(add), () => fresh]]}
    >
      {(row, at, change) => (
        <>
          <ContentDataFields
            fields={fields}
            within={`${within}.${path}.${at}`}
            data={row}
            onChange={(next) => change(recognize(row, next))}
          />
          {extra?.({ row, change })}
        </>
      )}
    </FieldArray>
  );
}

const paragraphFields: readonly ContentDataField[] = [{ path: "text", label: "block.paragraph", as: "text" }];
const mathFields: readonly ContentDataField[] = [{ path: "latex", label: "block.math", as: "formula" }];
const captionFields: readonly ContentDataField[] = [{ path: "caption", label: "block.caption", as: "line" }];

function Blocks({ data, onChange, university, course }: Edited) {
  const fresh = (type: string) => () => ({ type });
  return (
    <FieldArray
      label={t("blocks")}
      rows={objectsInListAtPath(data, "blocks")}
      onChange={(blocks) => onChange(withValueAt(data, "blocks", blocks))}
      add={[
        [t("block.add.paragraph"), fresh("paragraph")],
        [t("block.add.math"), fresh("math")],
        [t("block.add.image"), fresh("image")],
        [t("block.add.links"), fresh("link_list")],
      ]}
    >
      {(block, at, change) => (
        <Block
          block={block}
          within={`data_json.blocks.${at}`}
          onChange={change}
          university={university}
          course={course}
        />
      )}
    </FieldArray>
  );
}

type BlockProps = {
  block: ContentData;
  within: string;
  onChange: (block: ContentData) => void;
  university: number;
  course: number;
};

function Block({ block, within, onChange, university, course }: BlockProps) {
  const edited = { within, data: block, onChange };
  switch (block["type"]) {
    case "math":
      return <ContentDataFields fields={mathFields} {...edited} />;
    case "image":
      return (
        <>
          <ImageAssetField university={university} course={course} {...edited} />
          <ContentDataFields fields={captionFields} {...edited} />
        </>
      );
    case "link_list":
      return <FieldArrayOf path="items" label="block.links" add="link.add" fields={linkFields} {...edited} />;
    default:
      return <ContentDataFields fields={paragraphFields} {...edited} />;
  }
}
