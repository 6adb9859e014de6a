import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { ThumbIcon } from "../components/icons.tsx";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CopyAnswerButton, ReadAloudButton } from "./answer-tools.tsx";
import { MoreIcon } from "./icons.tsx";
import { KeepAnswerAsFlashcardButton, KeepQuestionAsFlashcardButton } from "./keep-as-flashcard.tsx";
import { linkedMessageProps } from "./linked-message-focus.ts";
import { PastQuestion } from "./question.tsx";
import { AnswerSourcesList, useHrefsByCitationMark } from "./sources.tsx";
import { answerWithoutQuestionBlock } from "./steps.ts";

/** The displayed fields. */
export type ShownMessage = Pick<
  Schemas["ChatMessage"],
  "id" | "role" | "content" | "meta" | "question" | "feedback" | "sources"
>;

type AnswerProps = {
  message: ShownMessage;
  isFound: boolean;
  onRated?: (() => Promise<void>) | undefined;
  isPast: boolean;
  /** Whether an option of the question was chosen. */
  isAnswered: boolean;
};

export function TutorAnswerArticle({ message, isFound, onRated, isPast, isAnswered }: AnswerProps) {
  return (
    <article class="answer" tabIndex={-1} {...linkedMessageProps(isFound)} aria-label={t("tutor.answer")}>
      <MarkdownWithFormulas
        source={answerWithoutQuestionBlock(message.content)}
        marks={useHrefsByCitationMark(message.sources)}
      />
      <AnswerSourcesList of={message.sources} />
      {isPast && message.question && <PastQuestion question={message.question} />}
      <div class="answer-foot" aria-live="off">
        <Origin meta={message.meta} />
        <div role="toolbar" class="answer-tools" aria-label={t("answer.tools")} onKeyDown={moveAlong}>
          <CopyAnswerButton source={answerWithoutQuestionBlock(message.content)} />
          {"speechSynthesis" in window && <ReadAloudButton />}
          {onRated && <KeepAnswerAsFlashcardButton message={message.id} />}
          {onRated && <Thumbs message={message} onRated={onRated} />}
          {onRated && isAnswered && (
            <details class="more">
              <summary aria-label={t("answer.more")} title={t("answer.more")}>
                <MoreIcon />
              </summary>
              <KeepQuestionAsFlashcardButton message={message.id} />
            </details>
          )}
        </div>
      </div>
    </article>
  );
}

/** Moves the focus along a toolbar by the arrow keys. */
function moveAlong({ key, currentTarget, target }: KeyboardEvent): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (by === undefined || !(currentTarget instanceof Element)) return;
  const stops = [...currentTarget.querySelectorAll<HTMLElement>("button:enabled, summary")];
  const at = stops.indexOf(target as HTMLElement);
  if (at >= 0) stops[at + by]?.focus();
}

/** The origin of an answer: shared with the class or new. */
function Origin({ meta }: Pick<ShownMessage, "meta">) {
  if (meta.stop) return <span class="badge stopped">{t(`stop.${meta.stop}`)}</span>;
  if (meta.checks) return <span class="badge stopped">{t("stop.checks")}</span>;
  const origin =
    meta.source === "cache"
      ? "source.class"
      : meta.joined
        ? "source.joined"
        : meta.source === "llm" && "source.live";
  return origin ? <small class="origin">{t(origin)}</small> : null;
}

function Thumbs({ message, onRated }: { message: ShownMessage; onRated: () => Promise<void> }) {
  const given = message.feedback?.rating;
  const rate = (rating: "up" | "down") => async () => {
    const params = { path: { message_id: message.id } };
    if (given === rating) await dataOf(apiClient.withdrawChatFeedback({ params }));
    else await dataOf(apiClient.rateChatAnswer({ params, body: { rating } }));
    await onRated();
  };
  return (
    <>
      <ActionButton class="quiet" run={rate("up")} pressed={given === "up"} label={t("thumbs.up")}>
        <ThumbIcon />
      </ActionButton>
      <ActionButton class="quiet" run={rate("down")} pressed={given === "down"} label={t("thumbs.down")}>
        <ThumbIcon isDown />
      </ActionButton>
    </>
  );
}
