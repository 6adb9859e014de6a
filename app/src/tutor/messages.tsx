import { dataOf, type Schemas } from "learning-platform-client";
import { Action } from "../components/action.tsx";
import { Button } from "../components/button.tsx";
import { ThumbIcon } from "../components/icons.tsx";
import { Prose } from "../markup/prose.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { useAnswerFocus } from "./answer-focus.ts";
import { AnswerTools } from "./answer-tools.tsx";
import type { ConversationState } from "./conversation-state.ts";
import { useAutoScroll } from "./follow.ts";
import { linkedMessageProps, useFoundFocus } from "./found-focus.ts";
import { KeepAnswer, KeepQuestion } from "./keep-card.tsx";
import { moveLabel } from "./moves.ts";
import { PastQuestion } from "./question.tsx";
import { Sources, useSourceLinks } from "./sources.tsx";
import { answerText, classifyMessage, type LearnerMessage } from "./steps.ts";

/** The displayed fields. */
type Message = Pick<
  Schemas["ChatMessage"],
  "id" | "role" | "content" | "meta" | "question" | "feedback" | "sources"
>;

type MessagesProps = {
  state: Pick<ConversationState, "said" | "received"> & {
    session?: { messages: readonly Message[] } & Pick<Schemas["ChatSessionWithMessages"], "has_more">;
  };
  onRated?: () => Promise<void>;
  /** Puts an earlier message of the user back into the input, for editing. */
  onAgain?: ((words: string) => void) | undefined;
  /** Loads older messages. Absent if there are none. */
  onOlder?: () => Promise<unknown>;
  label?: string;
  found?: number | undefined;
  /** The conversation is read-only and starts at the top. */
  isWhole?: boolean;
};

/** A conversation. Screen readers announce a streamed answer once, when it is complete. */
export function Messages({
  state: { session, said, received },
  onRated,
  onAgain,
  onOlder,
  label,
  found,
  isWhole,
}: MessagesProps) {
  const messages = session?.messages ?? [];
  const last = messages.at(-1);
  const { list, content, onScroll, onFocusIn, hasMore, settle, toEnd } = useAutoScroll({
    opensAt: isWhole ? "top" : found === undefined ? "answer" : "found",
    sent: onRated && said,
    isReceiving: received !== undefined,
    replayed: last?.meta.source === "cache" ? last.id : undefined,
  });
  useAnswerFocus(list, received !== undefined, last?.role === "assistant");
  useFoundFocus(
    list,
    messages.some(({ id }) => id === found),
    settle,
  );
  const isStored = said !== undefined && last?.role === "user" && last.content === said;
  return (
    <div class="conversation">
      <div
        class="messages"
        ref={list}
        onScroll={onScroll}
        onFocusIn={onFocusIn}
        role="log"
        aria-busy={received !== undefined}
        tabIndex={0}
        aria-label={label ?? t("tutor.log")}
      >
        <div class="turns" ref={content}>
          {session?.has_more &&
            (onOlder ? (
              <Action class="quiet" run={onOlder}>
                {t("tutor.show.older")}
              </Action>
            ) : (
              <p class="quiet">{t("tutor.older")}</p>
            ))}
          {messages.map((message, at) =>
            message.role === "user" ? (
              <OwnWords
                key={message.id}
                said={classifyMessage(message.content, messages[at - 1]?.question, messages.slice(0, at))}
                isFound={message.id === found}
                onAgain={received === undefined ? onAgain : undefined}
              />
            ) : (
              <Answer
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
          {said !== undefined && !isStored && <OwnWords said={classifyMessage(said, last?.question)} />}
          {received !== undefined && (
            <div class="answer receiving" aria-live="off">
              {answerText(received) === "" ? (
                <p class="thinking">{t("tutor.thinking")}</p>
              ) : (
                <Prose source={answerText(received)} />
              )}
            </div>
          )}
        </div>
      </div>
      {hasMore && (
        <Button
          class="to-end"
          onClick={() => {
            toEnd();
            // The button disappears.
            list.current?.focus({ preventScroll: true });
          }}
        >
          {t("tutor.to.end")}
        </Button>
      )}
    </div>
  );
}

const isAnswered = ({ question }: Message, after: Message | undefined): boolean =>
  after?.role === "user" && classifyMessage(after.content, question).kind === "choice";

/** Whether the question is repeated right after a move. */
function isAskedAgain({ question }: Message, said: Message | undefined, next: Message | undefined): boolean {
  return (
    said !== undefined &&
    classifyMessage(said.content, question).kind === "move" &&
    next?.question?.questionId === question?.questionId &&
    next?.question?.question === question?.question
  );
}

type OwnWordsProps = { said: LearnerMessage; isFound?: boolean } & Pick<MessagesProps, "onAgain">;

function OwnWords({ said, isFound = false, onAgain }: OwnWordsProps) {
  if (said.kind === "start") return null;
  return (
    <>
      <div
        class={`own ${said.kind}`}
        {...(isFound && { ...linkedMessageProps(true), role: "group", "aria-label": t("tutor.found") })}
      >
        {said.kind === "move" ? (
          moveLabel(said.move)
        ) : (
          <Prose
            source={said.kind === "choice" ? said.label : said.content}
            // The language of a learner's text is unknown.
            lang={said.kind === "choice" ? undefined : ""}
            inLines
          />
        )}
      </div>
      {said.kind === "words" && onAgain && (
        <Button class="quiet again" onClick={() => onAgain(said.content)}>
          {t("words.again")}
        </Button>
      )}
    </>
  );
}

type AnswerProps = {
  message: Message;
  isFound: boolean;
  onRated?: (() => Promise<void>) | undefined;
  isPast: boolean;
  /** Whether an option of the question was chosen. */
  isAnswered: boolean;
};

function Answer({ message, isFound, onRated, isPast, isAnswered }: AnswerProps) {
  return (
    <article class="answer" tabIndex={-1} {...linkedMessageProps(isFound)} aria-label={t("tutor.answer")}>
      <Prose source={answerText(message.content)} marks={useSourceLinks(message.sources)} />
      <Sources of={message.sources} />
      {isPast && message.question && <PastQuestion question={message.question} />}
      <p class="answer-foot" aria-live="off">
        <Source meta={message.meta} />
        <AnswerTools source={answerText(message.content)} />
        {onRated && <KeepAnswer message={message.id} />}
        {onRated && isAnswered && <KeepQuestion message={message.id} />}
        {onRated && <Thumbs message={message} onRated={onRated} />}
      </p>
    </article>
  );
}

/** The origin of an answer: shared with the class or private. */
function Source({ meta }: Pick<Message, "meta">) {
  if (meta.stop) return <span class="badge stopped">{t(`stop.${meta.stop}`)}</span>;
  if (meta.checks) return <span class="badge stopped">{t("stop.checks")}</span>;
  if (meta.source === "cache") return <span class="badge class">{t("source.class")}</span>;
  if (meta.joined) return <span class="badge class">{t("source.joined")}</span>;
  return meta.source === "llm" ? <span class="badge live">{t("source.live")}</span> : null;
}

function Thumbs({ message, onRated }: { message: Message; onRated: () => Promise<void> }) {
  const given = message.feedback?.rating;
  const rate = (rating: "up" | "down") => async () => {
    const params = { path: { message_id: message.id } };
    if (given === rating) await dataOf(api.withdrawChatFeedback({ params }));
    else await dataOf(api.rateChatAnswer({ params, body: { rating } }));
    await onRated();
  };
  return (
    <span class="thumbs">
      <Action class="quiet" run={rate("up")} pressed={given === "up"} label={t("thumbs.up")}>
        <ThumbIcon />
      </Action>
      <Action class="quiet" run={rate("down")} pressed={given === "down"} label={t("thumbs.down")}>
        <ThumbIcon isDown />
      </Action>
    </span>
  );
}
