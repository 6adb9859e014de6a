import type { Schemas } from "learning-platform-client";
import type { LearnerOrTeacherView } from "../components/offering-tabs.tsx";
import { chosenOptionOfMessage } from "../teaching/path-label.ts";
import { storedAnswerHref } from "../teaching/stored-answer-href.ts";
import { t } from "../texts.ts";
import { dialogueMoveLabel } from "../tutor/moves.ts";
import { ReadOnlyConversation } from "../tutor/read-only-conversation.tsx";
import { parseLearnerMessage, parseQuestionBlock } from "../tutor/steps.ts";

type HandoverProps = {
  of: NonNullable<Schemas["DiscussionThreadWithHandover"]["handover"]>;
  course: string | undefined;
  offering: string | undefined;
  side: LearnerOrTeacherView;
};

/** The part of a tutor conversation that a thread is about. Staff get a link to the stored answer. */
export function TutorConversationExcerpt({
  of: { excerpt, content_item_id, node_id },
  course,
  offering,
  side,
}: HandoverProps) {
  const messages = excerpt.map((message, at) => ({
    ...message,
    content: message.role === "user" ? readable(message.content, excerpt[at - 1]?.content) : message.content,
    question: message.role === "assistant" ? parseQuestionBlock(message.content) : null,
    ...{ meta: {}, feedback: null, sources: [] },
  }));
  const canEdit = side === "teaching" && course && offering && content_item_id !== null && node_id !== null;
  return (
    <section class="card" aria-labelledby="excerpt">
      <h2 id="excerpt">{t("handover")}</h2>
      <ReadOnlyConversation
        state={{ session: { messages, has_more: false } }}
        isWhole
        label={t("handover.log")}
      />
      {canEdit && (
        <a href={storedAnswerHref(course, offering, content_item_id, node_id)}>{t("handover.edit")}</a>
      )}
    </section>
  );
}

/** A choice stays as it was sent if its question is not part of the excerpt. */
const readable = (content: string, before: string | undefined): string =>
  parseLearnerMessage(content, parseQuestionBlock(before ?? "")).kind === "words"
    ? dialogueMoveLabel(chosenOptionOfMessage(content))
    : content;
