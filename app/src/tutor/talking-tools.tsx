import { Button } from "../components/button.tsx";
import { useQuery } from "../query.tsx";
import { t } from "../texts.ts";
import { learnersOfDemonstration } from "./classmate.tsx";
import type { Conversation } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import { unreadContentLabel } from "./not-read.ts";
import type { Session } from "./sessions.ts";
import { ShareLink } from "./share.tsx";

type TalkingToolsProps = {
  state: ConversationState;
  conversation: Conversation;
  onNew: () => void;
  onClassmate: (() => void) | undefined;
};

/** Below a conversation: content that the tutor has not read, and actions. */
export function ConversationActions({ state, conversation, onNew, onClassmate }: TalkingToolsProps) {
  const { session, received } = state;
  if (!session || session.messages.length === 0) return null;
  return (
    <>
      <NotRead session={session} />
      {received === undefined && (
        <div class="row tools">
          <Button class="quiet" onClick={onNew}>
            {t("conversation.new")}
          </Button>
          <ShareLink session={session} onChange={conversation.look} />
          {onClassmate && <OpenAsClassmate onOpen={onClassmate} />}
        </div>
      )}
    </>
  );
}

function NotRead({ session: { not_read } }: { session: Session }) {
  if (not_read.length === 0) return null;
  return (
    <p class="quiet not-read">
      <small>{t("not.read", { what: unreadContentLabel(not_read) })}</small>
    </p>
  );
}

/** Demonstration only. */
function OpenAsClassmate({ onOpen }: { onOpen: () => void }) {
  const learners = useQuery(learnersOfDemonstration, []);
  if ((learners.value ?? []).length < 2) return null;
  return (
    <Button class="quiet" onClick={onOpen}>
      {t("classmate.open")}
    </Button>
  );
}
