import { isOutdatedChoice } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Action } from "../components/action.tsx";
import { Notice } from "../components/notice.tsx";
import { explain } from "../query.tsx";
import { t } from "../texts.ts";
import { AsidePanel } from "./beside.tsx";
import type { Conversation, ConversationTarget } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import { Conversations } from "./conversations.tsx";
import { Handovers } from "./handovers.tsx";
import { MessageInput } from "./message-input.tsx";
import { Messages } from "./messages.tsx";
import { DialoguePath } from "./path.tsx";
import { PracticeLine } from "./practice-line.tsx";
import { Options } from "./question.tsx";
import { sharedPath, startMessage, stepsOf } from "./steps.ts";
import { ConversationActions } from "./talking-tools.tsx";
import { useConversationInput } from "./use-talking.ts";
import { pathStateOf } from "./whereabouts.ts";

/** The open conversation, and messages to replay in it. */
export type OpenConversation = ConversationTarget & { walk?: readonly string[] };

type TalkingProps = {
  contentItemId: number;
  state: ConversationState;
  conversation: Conversation;
  found: number | undefined;
  onChosen: (chosen: OpenConversation) => void;
  onClassmate: (() => void) | undefined;
};

export function ConversationView({
  contentItemId,
  state,
  conversation,
  found,
  onChosen,
  onClassmate,
}: TalkingProps) {
  const { session, received, fault } = state;
  const talking = useConversationInput(contentItemId, state, conversation);
  const { asked } = talking;
  const [again, setAgain] = useState<{ words: string }>();
  const ask = (words: string) => setAgain({ words });
  const where = pathStateOf(session);
  // Asides and tried prompts are not on the shared path.
  const isOfClass = where === "path" || where === "left";
  return (
    <>
      {session?.tried_prompt && <Notice>{t("tutor.tried", session.tried_prompt)}</Notice>}
      {session?.title && <p class="eyebrow">{session.title}</p>}
      {isOfClass && <DialoguePath steps={stepsOf(session?.messages ?? [], session)} />}
      {isOfClass && <PracticeLine contentItemId={contentItemId} session={session} />}
      {/* A wrapper for focus: after a retry it belongs to the conversation. */}
      <div class="as-one">
        <Messages
          state={state}
          onRated={conversation.look}
          onAgain={session?.closed_at ? undefined : ask}
          onOlder={conversation.older}
          found={found}
        />
        {isOutdatedChoice(fault) && <Notice>{explain(fault)}</Notice>}
        {fault !== undefined && !isOutdatedChoice(fault) && (
          <Notice kind="error" action={{ label: t("try.again"), run: talking.sayAgain, refusal: fault }}>
            {t("tutor.broke.off", { reason: explain(fault) })}
          </Notice>
        )}
      </div>
      {received !== undefined && (
        <Action class="quiet" run={conversation.stop}>
          {t("tutor.stop")}
        </Action>
      )}
      {asked && !session?.closed_at && (
        <Options question={asked} moves={talking.moves} onChoose={talking.choose} />
      )}
      <WayBack state={state} conversation={conversation} onChosen={onChosen} />
      <AsidePanel aside={talking.aside} onAgain={ask} />
      <MessageInput state={state} talking={talking} again={again} />
      <Handovers state={state} label="ask" look={conversation.look} />
      <ConversationActions
        state={state}
        conversation={conversation}
        onNew={() => onChosen({ isNew: true })}
        onClassmate={isOfClass ? onClassmate : undefined}
      />
      <Conversations
        contentItemId={contentItemId}
        current={session?.id}
        onOpen={(id) => onChosen({ id })}
        onGone={() => onChosen({})}
      />
    </>
  );
}

/** Links from a diverged conversation to the path, and from an aside to its conversation. */
function WayBack({
  state,
  conversation,
  onChosen,
}: Pick<TalkingProps, "state" | "conversation" | "onChosen">) {
  const { session, received } = state;
  const where = pathStateOf(session);
  const backToPath = async () => {
    const whole = await conversation.whole();
    const path = sharedPath(whole?.messages ?? [], whole);
    onChosen({ isNew: true, walk: path.length > 0 ? path : [startMessage] });
  };
  if (where === "left" && received === undefined)
    return (
      <Notice>
        {t("tutor.left")}{" "}
        <Action class="quiet" run={backToPath}>
          {t("tutor.return")}
        </Action>
      </Notice>
    );
  if (!session || where !== "aside") return null;
  return (
    <Notice action={{ label: t("aside.back"), run: () => onChosen({ id: session.aside_of ?? undefined }) }}>
      {t(session.closed_at ? "aside.closed" : "aside.about")}
    </Notice>
  );
}
