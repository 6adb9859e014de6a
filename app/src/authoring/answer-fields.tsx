import type { Schemas } from "learning-platform-client";
import { useId } from "preact/hooks";
import { Field, valueOfEventTarget } from "../components/field.tsx";
import { FieldArray } from "../components/field-array.tsx";
import { NumberInput } from "../components/number-input.tsx";
import { t } from "../texts.ts";
import { nonEmptyLines } from "../work/non-empty-lines.ts";
import type { CorrectAnswerFormState } from "./correct-answers.ts";

type AnswerFieldsProps = {
  kind: Schemas["Question"]["kind"];
  answer: CorrectAnswerFormState;
  onChange: (answer: CorrectAnswerFormState) => void;
};

export function CorrectAnswerFields({ kind, answer, onChange }: AnswerFieldsProps) {
  const put = (part: Partial<CorrectAnswerFormState>) => onChange({ ...answer, ...part });
  switch (kind) {
    case "TRUE_FALSE":
      return (
        <Field name="answer" label={t("answer.right")}>
          <select
            value={String(answer.isTrue)}
            onChange={(event) => put({ isTrue: valueOfEventTarget(event) === "true" })}
          >
            <option value="true">{t("true")}</option>
            <option value="false">{t("false")}</option>
          </select>
        </Field>
      );
    case "NUMERIC":
      return (
        <div class="fields">
          <Field name="answer" label={t("answer.right")}>
            <NumberInput step="any" value={answer.value} onChange={(value) => put({ value })} />
          </Field>
          <Field name="answer.tolerance" label={t("answer.tolerance")}>
            <NumberInput
              step="any"
              min={0}
              value={answer.tolerance}
              onChange={(tolerance) => put({ tolerance })}
            />
          </Field>
        </div>
      );
    case "SHORT_ANSWER":
      return (
        <Field name="answer" label={t("answer.texts")}>
          <textarea
            rows={3}
            defaultValue={answer.texts.join("\n")}
            onInput={(event) => put({ texts: nonEmptyLines(valueOfEventTarget(event)) })}
          />
        </Field>
      );
    default:
      return <OptionRows isSingle={kind === "SINGLE_CHOICE"} options={answer.options} onChange={put} />;
  }
}

type OptionRowsProps = {
  isSingle: boolean;
  options: CorrectAnswerFormState["options"];
  onChange: (part: Pick<CorrectAnswerFormState, "options">) => void;
};

function OptionRows({ isSingle, options, onChange }: OptionRowsProps) {
  const group = useId();
  const rightAlone = (at: number) =>
    onChange({ options: options.map((option, position) => ({ ...option, isRight: position === at })) });
  return (
    <FieldArray
      label={t("answer.options")}
      rows={options}
      onChange={(changed) => onChange({ options: changed })}
      add={[[t("answer.option.add"), () => ({ text: "", isRight: false })]]}
    >
      {(option, at, change) => (
        <>
          <Field name={`options.${at}.text`} label={t("answer.option", { n: at + 1 })}>
            <input
              maxLength={1000}
              required
              value={option.text}
              onInput={(event) => change({ ...option, text: valueOfEventTarget(event) })}
            />
          </Field>
          <label class="check">
            <input
              type={isSingle ? "radio" : "checkbox"}
              name={group}
              checked={option.isRight}
              onChange={() => (isSingle ? rightAlone(at) : change({ ...option, isRight: !option.isRight }))}
            />
            {t("answer.is.right")}
          </label>
        </>
      )}
    </FieldArray>
  );
}
