import type { ComponentChildren } from "preact";
import { FieldArray } from "../components/field-array.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { LazyRichTextEditor } from "../editor/rich-text-field.tsx";
import { type TextKey, t } from "../texts.ts";
import { type ContentData, objectsInListAtPath, withValueAtPath } from "./at-path.ts";
import {
  assignmentFields,
  externalToolFields,
  labFields,
  labFileFields,
  quizFields,
  resourceLinkFields,
  scormFields,
  transcriptSegmentFields,
} from "./content-type-fields.ts";
import { type ContentDataFieldDefinition, ContentDataFields } from "./data-fields.tsx";
import { instructionsAsBlocks, withInstructionsFromBlocks } from "./instructions.ts";
import { QuestionPoolSelect } from "./question-pool-select.tsx";
import { RowAttachmentField } from "./row-file.tsx";
import { RubricEditor } from "./rubric-editor.tsx";
import { ScormPackageField } from "./scorm-package-field.tsx";
import { ExternalToolSelect } from "./tool-field.tsx";
import { VideoSourceFields } from "./video-fields.tsx";
import { withVideoKindIfVideoLink } from "./video-source.ts";

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
      return (
        <LazyRichTextEditor
          label={t("text")}
          university={edited.university}
          course={edited.course}
          blocks={objectsInListAtPath(edited.data, "blocks")}
          onChange={(blocks) => edited.onChange(withValueAtPath(edited.data, "blocks", blocks))}
        />
      );
    case "video":
      return (
        <>
          <VideoSourceFields {...edited} />
          <LazyDisclosure label={t("video.transcript.edit")}>
            {() => (
              <FieldArrayOf
                path="transcript.segments"
                label="transcript"
                add="segment.add"
                fields={transcriptSegmentFields}
                {...edited}
              />
            )}
          </LazyDisclosure>
        </>
      );
    case "quiz":
      return (
        <>
          <QuestionPoolSelect {...edited} />
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
            extra={(file) => <RowAttachmentField names="path" {...file} course={edited.course} />}
            {...edited}
          />
          <RubricEditor {...edited} />
        </>
      );
    case "assignment":
      return (
        <>
          <LazyRichTextEditor
            label={t("assignment.instructions")}
            university={edited.university}
            course={edited.course}
            blocks={instructionsAsBlocks(edited.data)}
            onChange={(blocks) => edited.onChange(withInstructionsFromBlocks(edited.data, blocks))}
            stored={(blocks) => instructionsAsBlocks(withInstructionsFromBlocks({}, blocks))}
          />
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
          <ExternalToolSelect {...edited} />
          <FieldGroup fields={externalToolFields} {...edited} />
        </>
      );
    default:
      return null;
  }
}

type Edited = Omit<ContentDataEditorProps, "kind">;

const FieldGroup = ({
  fields,
  data,
  onChange,
}: Edited & { fields: readonly ContentDataFieldDefinition[] }) => (
  <div class="fields">
    <ContentDataFields fields={fields} within="data_json" data={data} onChange={onChange} />
  </div>
);

const Resources = ({ label, ...edited }: Edited & { label: TextKey }) => (
  <FieldArrayOf
    path="resources"
    label={label}
    add="link.add"
    fields={resourceLinkFields}
    recognize={withVideoKindIfVideoLink}
    extra={(file) => <RowAttachmentField names="label" {...file} course={edited.course} />}
    {...edited}
  />
);

type FieldArrayOfProps = Pick<Edited, "data" | "onChange"> & {
  path: string;
  label: TextKey;
  add: TextKey;
  fields: readonly ContentDataFieldDefinition[];
  fresh?: ContentData;
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
  recognize = (_, after) => after,
  extra,
  data,
  onChange,
}: FieldArrayOfProps) {
  return (
    <FieldArray
      label={t(label)}
      rows={objectsInListAtPath(data, path)}
      onChange={(rows) => onChange(withValueAtPath(data, path, rows))}
      add={[[t(add), () => fresh]]}
    >
      {(row, at, change) => (
        <>
          <ContentDataFields
            fields={fields}
            within={`data_json.${path}.${at}`}
            data={row}
            onChange={(next) => change(recognize(row, next))}
          />
          {extra?.({ row, change })}
        </>
      )}
    </FieldArray>
  );
}
