import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { CheckboxField, Field, SelectField } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked, readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { FormSubmissionBlockedError } from "../error-classes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { answerWithoutQuestionBlock } from "../tutor/steps.ts";
import { answerTextWithQuestionBlock, isSameAnswerKey, isSameQuestion } from "./answer-parts.ts";

type Node = Schemas["CacheNode"];

type EditProps = {
  node: Node;
  path: { content_item_id: number; node_id: number };
  /** How many stored answers follow this one. */
  following: number;
  /** An answer to a move repeats the question above, which is edited there. */
  isOfMove: boolean;
  onClose: (hasChanged: boolean) => void;
  onPresent: () => void;
};

/** The text of an answer, its question, options, key and misconceptions, each in its own field. */
export function EditStoredAnswerForm({ node, path, following, isOfMove, onClose, onPresent }: EditProps) {
  const [removes, setRemoves] = useState(false);
  const asked = isOfMove ? null : node.question;
  const save = async (fields: FormData, present = node) => {
    const removes_question = isCheckboxFieldChecked(fields, "removes_question");
    if (removes_question && !confirm(t("tree.question.remove.sure", { n: following })))
      throw new FormSubmissionBlockedError(t("tree.question.kept"));
    const question = asked && !removes_question ? questionIn(fields, asked) : null;
    const keep = fields.get("keep_children");
    const body = {
      answer: answerTextWithQuestionBlock(
        readTextField(fields, "answer"),
        isSameQuestion(question, asked) ? null : question,
      ),
      removes_question,
      ...(keep && { keep_children: keep === "true" }),
    };
    const params = { path, header: ifMatch(present.version) };
    const saved = await dataOf(apiClient.updateChatTopicTreeNode({ params, body }));
    const key = question && keyIn(fields, question, node.key);
    if (key && !isSameAnswerKey(key, saved.key)) {
      const ofSaved = { path, header: ifMatch(saved.version) };
      await dataOf(apiClient.setChatTopicTreeKey({ params: ofSaved, body: key }));
    }
    onClose(true);
  };
  return (
    <Form
      class="edit"
      label={t("tree.edit")}
      send={save}
      submit={t("save")}
      draft={`answer ${node.id}`}
      onPresent={onPresent}
      onCancel={() => onClose(false)}
    >
      <Field name="answer" label={t("tree.answer")}>
        <textarea rows={8} defaultValue={answerWithoutQuestionBlock(node.answer)} required />
      </Field>
      {asked && !removes && <QuestionFields asked={asked} node={node} />}
      {asked && (
        <CheckboxField
          name="removes_question"
          label={t("tree.question.remove")}
          about={t("tree.question.remove.about")}
        >
          <input type="checkbox" onChange={(event) => setRemoves(event.currentTarget.checked)} />
        </CheckboxField>
      )}
      {asked && following > 0 && !removes && (
        <Field name="keep_children" label={t("tree.keep")}>
          <select defaultValue="">
            <option value="">{t("tree.keep.same")}</option>
            <option value="true">{t("tree.keep.options")}</option>
            <option value="false">{t("tree.keep.none")}</option>
          </select>
        </Field>
      )}
    </Form>
  );
}

type Question = NonNullable<Node["question"]>;

function QuestionFields({ asked, node: { key } }: { asked: Question; node: Node }) {
  const [right, choose] = useState(key?.answer ?? "");
  const believed = (option: string) => key?.misconceptions.find(({ id }) => id === option)?.text ?? "";
  return (
    <fieldset class="edit">
      <legend>{t("tree.question")}</legend>
      <Field name="question" label={t("tree.question.text")}>
        <textarea rows={2} defaultValue={asked.question} required />
      </Field>
      {asked.options.map(({ id, text }, at) => (
        <div key={id} class="edit">
          <Field name={`option.${at}`} label={t("tree.option", { option: id })}>
            <input defaultValue={text} required />
          </Field>
          {id !== right && (
            <Field name={`misconception.${at}`} label={t("key.misconception", { option: id })}>
              <input maxLength={80} defaultValue={believed(id)} />
            </Field>
          )}
        </div>
      ))}
      <SelectField
        name="right"
        label={t("key.answer")}
        about={t("key.answer.about")}
        of={[["", ""], ...asked.options.map(({ id, text }) => [id, `${id} · ${text}`] as const)]}
        chosen={right}
        required={key !== null}
        onChoose={choose}
      />
      <Field name="skill" label={t("key.skill")}>
        <input maxLength={80} defaultValue={key?.skill ?? ""} />
      </Field>
    </fieldset>
  );
}

function questionIn(fields: FormData, { questionId, options }: Question): Question {
  return {
    questionId,
    question: readTextField(fields, "question"),
    options: options.map(({ id }, at) => ({ id, text: readTextField(fields, `option.${at}`) })),
  };
}

/** Undefined if no option is marked as right. Other parts of the key stay with the right option. */
function keyIn(fields: FormData, { options }: Question, before: Node["key"]) {
  const answer = readTextField(fields, "right");
  if (answer === "") return undefined;
  const misconceptions = options
    .map(({ id }, at) => ({ id, text: readTextField(fields, `misconception.${at}`) }))
    .filter(({ id, text }) => id !== answer && text !== "");
  // The reason of another answer would be wrong.
  const because = before?.answer === answer ? (before.because ?? null) : null;
  return { answer, misconceptions, skill: readTextFieldOrNull(fields, "skill"), because };
}
