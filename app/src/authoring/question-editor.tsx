import type { Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Choice } from "../components/choice.tsx";
import { CheckField, Field, NumberField, SelectField } from "../components/field.tsx";
import { Form, isChecked, textField, textFieldOrNull } from "../components/form.tsx";
import { numberOrNull } from "../components/typed-figure.ts";
import { t, withLabel } from "../texts.ts";
import { AnswerFields } from "./answer-fields.tsx";
import { type AnswerFormState, answerOf, emptyAnswer } from "./answers.ts";

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
  question?: Question;
  submit: string;
  send: (question: Schemas["QuestionCreate"]) => Promise<unknown>;
};

export function QuestionEditor({ question, submit, send }: QuestionEditorProps) {
  const [kind, setKind] = useState(question?.kind ?? "SINGLE_CHOICE");
  const [answer, setAnswer] = useState<AnswerFormState>(emptyAnswer(question));
  const save = async (fields: FormData) => {
    await send({
      kind,
      question_text: textField(fields, "question_text"),
      explanation: textFieldOrNull(fields, "explanation"),
      points: numberOrNull(fields, "points") ?? 1,
      is_active: isChecked(fields, "is_active"),
      scoring:
        kind === "MULTIPLE_CHOICE" ? (textField(fields, "scoring") as Question["scoring"]) : "all_or_nothing",
      ...answerOf(kind, answer),
    });
    if (!question) setAnswer(emptyAnswer());
  };
  return (
    <Form send={save} submit={submit} done={t("saved")} clears={!question}>
      <Choice
        label={t("question.kind")}
        value={kind}
        options={withLabel("question", kinds)}
        onChoose={setKind}
      />
      <Field name="question_text" label={t("question.text")} about={t("markdown.note")}>
        <textarea rows={3} maxLength={10_000} defaultValue={question?.question_text} required />
      </Field>
      <AnswerFields kind={kind} answer={answer} onChange={setAnswer} />
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
            of={withLabel("question.scoring", scorings)}
            chosen={question?.scoring ?? "all_or_nothing"}
          />
        )}
        <Field name="explanation" label={t("question.explanation")}>
          <input maxLength={5000} defaultValue={question?.explanation ?? ""} />
        </Field>
      </div>
      <CheckField name="is_active" label={t("question.active")}>
        <input type="checkbox" defaultChecked={question?.is_active ?? true} />
      </CheckField>
    </Form>
  );
}
