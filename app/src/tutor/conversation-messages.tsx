import type { Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { t } from "../texts.ts";
import { type ShownMessage, TutorAnswerArticle } from "./answer.tsx";
import type { ConversationState } from "./conversation-state.ts";
import { PencilIcon } from "./icons.tsx";
import { linkedMessageProps } from "./linked-message-focus.ts";
import { dialogueMoveLabel } from "./moves.ts";
import { answerWithoutQuestionBlock, type ParsedLearnerMessage, parseLearnerMessage } from "./steps.ts";

export type ConversationMessagesProps = {
  state: Pick<ConversationState, "said" | "received"> & {
    session?: { messages: readonly ShownMessage[] } & Pick<Schemas["ChatSessionWithMessages"], "has_more">;
  };
  /** Absent in a read-only conversation. */
  onRated?: () => Promise<void>;
  /** Puts an earlier message of the user back into the input, for editing. */
  onAgain?: ((words: string) => void) | undefined;
  /** Loads older messages. Absent if there are none. */
  onOlder?: () => Promise<unknown>;
  found?: number | undefined;
};

/** The messages of a conversation, and the answer that streams. */
export function ConversationMessages({
  state: { session, said, received },
  onRated,
  onAgain,
  onOlder,
  found,
}: ConversationMessagesProps) {
  const messages = session?.messages ?? [];
  const last = messages.at(-1);
  const isStored = said !== undefined && last?.role === "user" && last.content === said;
  return (
    <>
      {session?.has_more &&
        (onOlder ? (
          <ActionButton class="quiet" run={onOlder}>
            {t("tutor.show.older")}
          </ActionButton>
        ) : (
          <p class="quiet">{t("tutor.older")}</p>
        ))}
      {messages.map((message, at) =>
        message.role === "user" ? (
          <OwnWords
            key={message.id}
            said={parseLearnerMessage(message.content, messages[at - 1]?.question, messages.slice(0, at))}
            isFound={message.id === found}
            onAgain={received === undefined ? onAgain : undefined}
          />
        ) : (
          <TutorAnswerArticle
            key={message.id}
            message={message}
            isFound={message.id === found}
            onRated={onRated}
            isAnswered={isAnswered(message, messages[at + 1])}
            // The last question's options are rendered below.
            isPast={
              (message !== last || said !== undefined || !onRated) &&
              !isAskedAgain(message, messages[at + 1], messages[at + 2])
            }
          />
        ),
      )}
      {said !== undefined && !isStored && <OwnWords said={parseLearnerMessage(said, last?.question)} />}
      {received !== undefined && (
        <div class="answer receiving" aria-live="off">
          {answerWithoutQuestionBlock(received) === "" ? (
            <p class="thinking">{t("tutor.thinking")}</p>
          ) : (
            <MarkdownWithFormulas source={answerWithoutQuestionBlock(received)} />
          )}
        </div>
      )}
    </>
  );
}

const isAnswered = ({ question }: ShownMessage, after: ShownMessage | undefined): boolean =>
  after?.role === "user" && parseLearnerMessage(after.content, question).kind === "choice";

/** Whether the question is repeated right after a move. */
function isAskedAgain(
  { question }: ShownMessage,
  said: ShownMessage | undefined,
  next: ShownMessage | undefined,
): boolean {
  return (
    said !== undefined &&
    parseLearnerMessage(said.content, question).kind === "move" &&
    next?.question?.questionId === question?.questionId &&
    next?.question?.question === question?.question
  );
}

type OwnWordsProps = { said: ParsedLearnerMessage; isFound?: boolean } & Pick<
  ConversationMessagesProps,
  "onAgain"
>;

function OwnWords({ said, isFound = false, onAgain }: OwnWordsProps) {
  if (said.kind === "start") return null;
  return (
    <>
      <div
        class={`own ${said.kind}`}
        {...(isFound && { ...linkedMessageProps(true), role: "group", "aria-label": t("tutor.found") })}
      >
        {said.kind === "move" ? (
          dialogueMoveLabel(said.move)
        ) : (
          <MarkdownWithFormulas
            source={said.kind === "choice" ? said.label : said.content}
            // The language of a learner's text is unknown.
            lang={said.kind === "choice" ? undefined : ""}
            inLines
          />
        )}
      </div>
      {said.kind === "words" && onAgain && (
        <ButtonWithFocusFallback
          class="quiet icon-button again"
          aria-label={t("words.again")}
          title={t("words.again")}
          onClick={() => onAgain(said.content)}
        >
          <PencilIcon />
        </ButtonWithFocusFallback>
      )}
    </>
  );
}
