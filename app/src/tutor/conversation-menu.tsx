import { useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { DropdownMenu } from "../components/menu.tsx";
import { lazyComponentWithTexts } from "../components/on-demand.tsx";
import { useQuery } from "../query.tsx";
import { t } from "../texts.ts";
import { loadDemonstrationLearners } from "./classmate-replay-demo.tsx";
import type { ConversationClient } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import type { ConversationToOpenOrReplay } from "./conversation-view.tsx";
import { HandOffDialog, useMayHandOff } from "./hand-off-dialog.tsx";
import { MoreIcon } from "./icons.tsx";
import { sharedPathStateOfSession } from "./path-state.ts";
import { countAnsweredQuestions } from "./practice-line.tsx";

const ConversationsList = lazyComponentWithTexts(
  async () => (await import("./conversations.tsx")).ConversationsList,
);
const ShareLinkControls = lazyComponentWithTexts(async () => (await import("./share.tsx")).ShareLinkControls);

type ConversationMenuProps = {
  contentItemId: number;
  state: ConversationState;
  conversation: ConversationClient;
  onChosen: (chosen: ConversationToOpenOrReplay) => void;
  onPractice: () => void;
  /** Absent while a classmate's conversation is shown. */
  onClassmate: (() => void) | undefined;
  isWide: boolean;
  /** Absent if there is no room for two columns. */
  onWide: (() => void) | undefined;
};

/** All actions that concern a whole conversation. */
export function ConversationMenu(props: ConversationMenuProps) {
  const { contentItemId, state, conversation, onChosen, onPractice, onClassmate, isWide, onWide } = props;
  const { session, received } = state;
  const [shown, show] = useState<"conversations" | "ask" | "share">();
  const close = () => show(undefined);
  const mayAsk = useMayHandOff(session);
  const where = sharedPathStateOfSession(session);
  const isOfClass = where === "path" || where === "left";
  const isAtRest = session !== undefined && session.messages.length > 0 && received === undefined;
  return (
    <>
      <DropdownMenu label={t("tutor.menu")} icon={<MoreIcon />}>
        {isAtRest && (
          <ButtonWithFocusFallback onClick={() => onChosen({ isNew: true })}>
            {t("conversation.new")}
          </ButtonWithFocusFallback>
        )}
        <ButtonWithFocusFallback onClick={() => show("conversations")}>
          {t("conversations")}
        </ButtonWithFocusFallback>
        {mayAsk && <ButtonWithFocusFallback onClick={() => show("ask")}>{t("ask")}</ButtonWithFocusFallback>}
        {isAtRest && (
          <ButtonWithFocusFallback onClick={() => show("share")}>{t("share")}</ButtonWithFocusFallback>
        )}
        {isOfClass && countAnsweredQuestions(session) > 0 && (
          <ButtonWithFocusFallback onClick={onPractice}>{t("practice.show")}</ButtonWithFocusFallback>
        )}
        {onWide && (
          <ButtonWithFocusFallback aria-pressed={isWide} onClick={onWide}>
            {t("tutor.wide")}
          </ButtonWithFocusFallback>
        )}
        {isAtRest && isOfClass && onClassmate && <OpenAsClassmate onOpen={onClassmate} />}
      </DropdownMenu>
      {shown === "conversations" && (
        <Dialog label={t("conversations")} onClose={close}>
          <ConversationsList
            contentItemId={contentItemId}
            current={session?.id}
            onOpen={(id) => {
              close();
              onChosen({ id });
            }}
            onGone={() => {
              close();
              onChosen({});
            }}
          />
        </Dialog>
      )}
      {shown === "ask" && session && (
        <HandOffDialog session={session} label="ask" look={conversation.look} onClose={close} />
      )}
      {shown === "share" && session && (
        <Dialog label={t("share")} onClose={close}>
          <ShareLinkControls session={session} onChange={conversation.look} />
        </Dialog>
      )}
    </>
  );
}

/** Demonstration only. */
function OpenAsClassmate({ onOpen }: { onOpen: () => void }) {
  const learners = useQuery(loadDemonstrationLearners, []);
  if ((learners.value ?? []).length < 2) return null;
  return <ButtonWithFocusFallback onClick={onOpen}>{t("classmate.open")}</ButtonWithFocusFallback>;
}
