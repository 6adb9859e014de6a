import { isOutdatedChoice } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Notice } from "../components/notice.tsx";
import { explainError } from "../query.tsx";
import { t } from "../texts.ts";
import { AsideMessages } from "./aside-panel.tsx";
import type { ConversationClient, ConversationToOpen } from "./conversation.ts";
import { ConversationMessages } from "./conversation-messages.tsx";
import { ConversationScrollArea } from "./conversation-scroll-area.tsx";
import type { ConversationState } from "./conversation-state.ts";
import { HandoversWithReplies } from "./handovers.tsx";
import { TutorMessageForm } from "./message-input.tsx";
import { contentUnreadByTutorLabel } from "./not-read.ts";
import { sharedPathStateOfSession } from "./path-state.ts";
import { PracticeProgressLine } from "./practice-line.tsx";
import { TutorQuestionOptions } from "./question.tsx";
import type { TutorChatSession } from "./sessions.ts";
import { openingLearnerMessage, sharedPathMessages } from "./steps.ts";
import { useConversationInput } from "./use-conversation-input.ts";

/** The open conversation, and messages to replay in it. */
export type ConversationToOpenOrReplay = ConversationToOpen & { walk?: readonly string[] };

type TalkingProps = {
  contentItemId: number;
  state: ConversationState;
  conversation: ConversationClient;
  found: number | undefined;
  onChosen: (chosen: ConversationToOpenOrReplay) => void;
  wantsPractice: boolean;
};

/** One stream of messages and asides. Below it, always in view, the open question and the input. */
export function ConversationView({
  contentItemId,
  state,
  conversation,
  found,
  onChosen,
  wantsPractice,
}: TalkingProps) {
  const { session, said, received, fault } = state;
  const talking = useConversationInput(contentItemId, state, conversation);
  const { aside, asked, say } = talking;
  const [again, setAgain] = useState<{ words: string }>();
  const ask = (words: string) => setAgain({ words });
  const where = sharedPathStateOfSession(session);
  const isReceiving = received !== undefined;
  const messages = session?.messages ?? [];
  const isEmpty = messages.length === 0 && !isReceiving && where !== "aside";
  const last = (aside.state?.session?.messages ?? messages).at(-1);
  return (
    <>
      {session?.tried_prompt && <Notice>{t("tutor.tried", session.tried_prompt)}</Notice>}
      {session?.title && <p class="eyebrow">{session.title}</p>}
      {/* A wrapper for focus: after a retry it belongs to the conversation. */}
      <div class="as-one">
        {isEmpty ? (
          <Begin onBegin={() => say(openingLearnerMessage)} />
        ) : (
          <ConversationScrollArea
            label={t("tutor.log")}
            opensAt={found === undefined ? "answer" : "found"}
            sent={aside.state?.said ?? said}
            isReceiving={isReceiving || aside.state?.received !== undefined}
            last={last}
            isFound={messages.some(({ id }) => id === found)}
          >
            {session && <NotRead session={session} />}
            <ConversationMessages
              state={state}
              onRated={conversation.look}
              onAgain={session?.closed_at ? undefined : ask}
              onOlder={conversation.older}
              found={found}
            />
            <AsideMessages aside={aside} onAgain={ask} />
            <HandoversWithReplies state={state} look={conversation.look} />
            {(where === "path" || where === "left") && (
              <PracticeProgressLine
                contentItemId={contentItemId}
                session={session}
                isWanted={wantsPractice}
              />
            )}
          </ConversationScrollArea>
        )}
        {isOutdatedChoice(fault) && <Notice>{explainError(fault)}</Notice>}
        {fault !== undefined && !isOutdatedChoice(fault) && (
          <Notice kind="error" action={{ label: t("try.again"), run: talking.sayAgain, refusal: fault }}>
            {t("tutor.broke.off", { reason: explainError(fault) })}
          </Notice>
        )}
      </div>
      {!isEmpty && (
        <div class="dock">
          <WayBack state={state} conversation={conversation} onChosen={onChosen} />
          {asked && !session?.closed_at && (
            <div class="open-question">
              <TutorQuestionOptions question={asked} moves={talking.moves} onChoose={talking.choose} />
            </div>
          )}
          {!session?.closed_at && (
            <TutorMessageForm
              state={state}
              talking={talking}
              again={again}
              onStop={isReceiving ? conversation.stop : aside.stop}
            />
          )}
        </div>
      )}
    </>
  );
}

function Begin({ onBegin }: { onBegin: () => void }) {
  return (
    <div class="empty">
      <p>{t("tutor.about")}</p>
      <button type="button" class="primary" onClick={onBegin}>
        {t("tutor.begin")}
      </button>
    </div>
  );
}

function NotRead({ session: { not_read } }: { session: TutorChatSession }) {
  if (not_read.length === 0) return null;
  return (
    <p class="quiet not-read">
      <small>{t("not.read", { what: contentUnreadByTutorLabel(not_read) })}</small>
    </p>
  );
}

/** Links from a diverged conversation to the path, and from an aside to its conversation. */
function WayBack({
  state,
  conversation,
  onChosen,
}: Pick<TalkingProps, "state" | "conversation" | "onChosen">) {
  const { session, received } = state;
  const where = sharedPathStateOfSession(session);
  const backToPath = async () => {
    const whole = await conversation.whole();
    const path = sharedPathMessages(whole?.messages ?? [], whole);
    onChosen({ isNew: true, walk: path.length > 0 ? path : [openingLearnerMessage] });
  };
  if (where === "left" && received === undefined)
    return (
      <Notice>
        {t("tutor.left")}{" "}
        <ActionButton class="quiet" run={backToPath}>
          {t("tutor.return")}
        </ActionButton>
      </Notice>
    );
  if (!session || where !== "aside") return null;
  return (
    <Notice action={{ label: t("aside.back"), run: () => onChosen({ id: session.aside_of ?? undefined }) }}>
      {t(session.closed_at ? "aside.closed" : "aside.about")}
    </Notice>
  );
}
