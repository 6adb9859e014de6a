import type { Schemas } from "learning-platform-client";
import { useRef, useState } from "preact/hooks";
import { CheckboxField, Field, NumberField, SelectField } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked, readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { t, withTranslatedLabels } from "../texts.ts";
import { CorrectAnswerFields } from "./answer-fields.tsx";
import {
  type CorrectAnswerFormState,
  initialCorrectAnswerFormState,
  toApiOptionsAndAnswer,
} from "./correct-answers.ts";
import { CourseFileUploadField, type UploadedFileIdAndName } from "./file-field.tsx";

type Question = Schemas["Question"];

const kinds: Question["kind"][] = [
  "SINGLE_CHOICE",
  "MULTIPLE_CHOICE",
  "TRUE_FALSE",
  "NUMERIC",
  "SHORT_ANSWER",
];

const scorings: Question["scoring"][] = ["all_or_nothing", "partial"];

type QuestionEditorProps = {
  course: number;
  question?: Question;
  submit: string;
  send: (question: Schemas["QuestionCreate"]) => Promise<unknown>;
};

/** Appends a picture to the question's Markdown. */
function addPicture(text: HTMLTextAreaElement, { id, name }: UploadedFileIdAndName): void {
  const words = name.replace(/\.\w+$/, "").replaceAll(/[\\[\]]/g, " ");
  text.value = `${text.value.trimEnd()}\n\n![${words}](file:${id})\n`.trimStart();
  text.dispatchEvent(new Event("input", { bubbles: true }));
}

export function QuestionEditor({ course, question, submit, send }: QuestionEditorProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const [kind, setKind] = useState(question?.kind ?? "SINGLE_CHOICE");
  const [answer, setAnswer] = useState<CorrectAnswerFormState>(initialCorrectAnswerFormState(question));
  const save = async (fields: FormData) => {
    await send({
      kind,
      question_text: readTextField(fields, "question_text"),
      explanation: readTextFieldOrNull(fields, "explanation"),
      points: readNumberFieldOrNull(fields, "points") ?? 1,
      is_active: isCheckboxFieldChecked(fields, "is_active"),
      scoring:
        kind === "MULTIPLE_CHOICE"
          ? (readTextField(fields, "scoring") as Question["scoring"])
          : "all_or_nothing",
      ...toApiOptionsAndAnswer(kind, answer),
    });
    if (!question) setAnswer(initialCorrectAnswerFormState());
  };
  return (
    <Form send={save} submit={submit} done={t("saved")} clears={!question}>
      <LabeledSelect
        label={t("question.kind")}
        value={kind}
        options={withTranslatedLabels("question", kinds)}
        onChoose={setKind}
      />
      <Field name="question_text" label={t("question.text")} about={t("markdown.note")}>
        <textarea ref={text} rows={3} maxLength={10_000} defaultValue={question?.question_text} required />
      </Field>
      <CourseFileUploadField
        label={t("question.picture")}
        course={course}
        file={undefined}
        accept="image/*"
        onChange={(file) => file && text.current && addPicture(text.current, file)}
      />
      <CorrectAnswerFields kind={kind} answer={answer} onChange={setAnswer} />
      <div class="fields">
        <NumberField
          name="points"
          label={t("points")}
          min={0.01}
          max={99.99}
          step={0.01}
          value={question?.points ?? 1}
          required
        />
        {kind === "MULTIPLE_CHOICE" && (
          <SelectField
            name="scoring"
            label={t("question.scoring")}
            about={t("question.scoring.about")}
            of={withTranslatedLabels("question.scoring", scorings)}
            chosen={question?.scoring ?? "all_or_nothing"}
          />
        )}
        <Field name="explanation" label={t("question.explanation")}>
          <input maxLength={5000} defaultValue={question?.explanation ?? ""} />
        </Field>
      </div>
      <CheckboxField name="is_active" label={t("question.active")}>
        <input type="checkbox" defaultChecked={question?.is_active ?? true} />
      </CheckboxField>
    </Form>
  );
}
