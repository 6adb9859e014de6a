import { dataOf, type Schemas } from "learning-platform-client";
import { Field, SelectField } from "../components/field.tsx";
import { Form, readSelectField, readTextField } from "../components/form.tsx";
import { FormSubmissionBlockedError } from "../error-classes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { dialogueMoveLabel } from "./moves.ts";
import type { TutorChatSession } from "./sessions.ts";
import { answerWithoutQuestionBlock, type ParsedLearnerMessage, parseLearnerMessage } from "./steps.ts";

type Message = Schemas["ChatMessage"];
type Visible = Schemas["ChatHandoverCreate"]["visible"];

/** Most messages that a hand-off may include. The newest are offered. */
const maxHandoverMessages = 20;

/** Length of a message's excerpt, in characters. */
const excerptLength = 120;

type AskPersonProps = { session: TutorChatSession; offering: number; onAsked: () => Promise<void> };

/** Hands messages of a conversation off to staff or the class, with a question. */
export function HandOffForm({ session, offering, onAsked }: AskPersonProps) {
  const send = async (fields: FormData) => {
    const message_ids = fields.getAll("message_ids").map(Number);
    if (message_ids.length === 0) throw new FormSubmissionBlockedError(t("ask.none.chosen"));
    const params = { path: { session_id: session.id } };
    const visible = readSelectField<Visible>(fields, "visible");
    const body = {
      message_ids,
      question: readTextField(fields, "question"),
      visible,
      course_offering_id: offering,
    };
    await dataOf(apiClient.handOverChatSession({ params, body }));
    await onAsked();
  };
  return (
    <Form
      send={send}
      submit={t("ask.send")}
      done={t("ask.sent")}
      draft={`question to people of conversation ${session.id}`}
      clears
    >
      <fieldset class="ticks">
        <legend>{t("ask.messages")}</legend>
        {lines(session.messages).map(({ id, words, isLast }) => (
          <label key={id} class="check">
            <input type="checkbox" name="message_ids" value={id} defaultChecked={isLast} />
            {words}
          </label>
        ))}
      </fieldset>
      <Field name="question" label={t("ask.question")}>
        <textarea rows={3} maxLength={8000} required />
      </Field>
      <SelectField
        name="visible"
        label={t("ask.visible")}
        about={t("ask.visible.about")}
        of={[
          ["STAFF", t("ask.STAFF")],
          ["CLASS", t("ask.CLASS")],
        ]}
        chosen="STAFF"
      />
    </Form>
  );
}

/** The newest messages. The last answer and its question are preselected. */
function lines(messages: readonly Message[]) {
  const told = messages.flatMap((message, at) => {
    const words = inShort(message, messages[at - 1]);
    return words === undefined ? [] : [{ id: message.id, words }];
  });
  return told.slice(-maxHandoverMessages).map((line, at, all) => ({ ...line, isLast: at >= all.length - 2 }));
}

/** The author and beginning of a message. Undefined for the start message. */
function inShort(message: Message, before: Message | undefined): string | undefined {
  if (message.role === "assistant")
    return t("ask.tutor.said", {
      words: excerpt(answerWithoutQuestionBlock(message.content) || message.question?.question || "…"),
    });
  const said = parseLearnerMessage(message.content, before?.question);
  if (said.kind === "start") return undefined;
  return t("ask.you.said", { words: excerpt(inWords(said)) });
}

function inWords(said: ParsedLearnerMessage): string {
  if (said.kind === "move") return dialogueMoveLabel(said.move);
  return said.kind === "choice" ? said.label : said.content;
}

const excerpt = (words: string): string =>
  words.length > excerptLength ? `${words.slice(0, excerptLength)}…` : words;
