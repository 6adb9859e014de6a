import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { Form, readSelectField, readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { formatFractionAsPercent, formatNumber } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { dialogueMoveLabel } from "../tutor/moves.ts";

type Node = Schemas["CacheNode"];
type Key = NonNullable<Node["key"]>;

type NodePath = { content_item_id: number; node_id: number };

type QuestionProps = { node: Node; path: NodePath; isAuthor: boolean; onChange: () => void };

/** The question of an answer: the class's responses, and the key that learners cannot see. */
export function QuestionWithResponsesAndKey({ node, path, isAuthor, onChange }: QuestionProps) {
  const [isEditing, setEditing] = useState(false);
  const { question, key } = node;
  if (!question) return null;
  return (
    <>
      <p>
        <strong>{question.question}</strong>
      </p>
      <Options node={node} />
      <Moves node={node} />
      {key?.because && <p class="quiet">{t("key.because.is", { because: key.because })}</p>}
      {key?.skill && <p class="quiet">{t("key.skill.is", { skill: key.skill })}</p>}
      {!key && <p class="quiet">{t("key.none")}</p>}
      {isEditing ? (
        <EditKey
          node={node}
          path={path}
          onClose={(hasChanged) => {
            setEditing(false);
            if (hasChanged) onChange();
          }}
          onPresent={onChange}
        />
      ) : (
        isAuthor && (
          <ButtonWithFocusFallback class="quiet" onClick={() => setEditing(true)}>
            {t(key ? "key.correct" : "key.give")}
          </ButtonWithFocusFallback>
        )
      )}
    </>
  );
}

/** How often each option was chosen, the correct one, and the misconception behind each wrong one. */
function Options({ node: { options, key } }: { node: Node }) {
  return (
    <ul class="shares">
      {options.map(({ id, text, visits, share }) => (
        <li key={id}>
          <span>
            {id} · {text} {key?.answer === id && <span class="badge completed">{t("key.right")}</span>}
            {misconceptionIn(key, id) && <small>{t("key.belief", { text: misconceptionIn(key, id) })}</small>}
          </span>
          <meter min={0} max={1} value={share ?? 0} aria-label={t("tree.share", { option: id })} />
          <span class="quiet">
            {formatFractionAsPercent(share)} ({formatNumber(visits)})
          </span>
        </li>
      ))}
    </ul>
  );
}

/** How often learners asked for help instead of answering. */
function Moves({ node: { moves_taken } }: { node: Node }) {
  const taken = moves_taken
    .filter(({ visits }) => visits > 0)
    .map(({ move, visits }) => `${dialogueMoveLabel(move)}: ${formatNumber(visits)}`);
  if (taken.length === 0) return null;
  return <p class="quiet">{taken.join(" · ")}</p>;
}

const misconceptionIn = (key: Key | null, option: string): string =>
  key?.misconceptions.find(({ id }) => id === option)?.text ?? "";

type EditKeyProps = Omit<QuestionProps, "isAuthor" | "onChange"> & {
  onClose: (hasChanged: boolean) => void;
  onPresent: () => void;
};

function EditKey({ node, path, onClose, onPresent }: EditKeyProps) {
  const { options, key } = node;
  const [right, choose] = useState(key?.answer ?? "");
  const save = async (fields: FormData, present = node) => {
    const answer = readSelectField<string>(fields, "answer");
    const misconceptions = options
      .map(({ id }, at) => ({ id, text: readTextField(fields, `misconception.${at}`) }))
      .filter(({ id, text }) => id !== answer && text !== "");
    const because = readTextFieldOrNull(fields, "because");
    const body = { answer, misconceptions, skill: readTextFieldOrNull(fields, "skill"), because };
    await dataOf(apiClient.setChatTopicTreeKey({ params: { path, header: ifMatch(present.version) }, body }));
    onClose(true);
  };
  return (
    <Form
      class="edit"
      label={t("key")}
      send={save}
      submit={t("save")}
      draft={`key ${node.id}`}
      onPresent={onPresent}
      onCancel={() => onClose(false)}
    >
      <SelectField
        name="answer"
        label={t("key.answer")}
        about={t("key.answer.about")}
        of={[["", ""], ...options.map(({ id, text }) => [id, `${id} · ${text}`] as const)]}
        chosen={right}
        required
        onChoose={choose}
      />
      {options.map(
        ({ id }, at) =>
          id !== right && (
            <Field key={id} name={`misconception.${at}`} label={t("key.misconception", { option: id })}>
              <input maxLength={80} defaultValue={misconceptionIn(key, id)} />
            </Field>
          ),
      )}
      <Field name="because" label={t("key.because")}>
        <textarea rows={3} maxLength={1000} defaultValue={key?.because ?? ""} />
      </Field>
      <Field name="skill" label={t("key.skill")}>
        <input maxLength={80} defaultValue={key?.skill ?? ""} />
      </Field>
    </Form>
  );
}
