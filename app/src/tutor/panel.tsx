import { useEffect, useMemo, useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { explainError } from "../query.tsx";
import { fragmentParameter } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { ClassmateReplayDemo } from "./classmate-replay-demo.tsx";
import { createConversationClient } from "./conversation.ts";
import { ConversationMenu } from "./conversation-menu.tsx";
import type { ConversationState } from "./conversation-state.ts";
import { type ConversationToOpenOrReplay, ConversationView } from "./conversation-view.tsx";
import { DialoguePathDots } from "./dialogue-path.tsx";
import { CloseIcon } from "./icons.tsx";
import { isTutorClosedForExamError } from "./open-exam.ts";
import { sharedPathStateOfSession } from "./path-state.ts";
import type { ConversationStartOptions, TutorChatSession } from "./sessions.ts";
import { useSheetOnNarrowScreens } from "./sheet.ts";
import { buildDialogueSteps, sharedPathMessages } from "./steps.ts";

type Opened = ConversationState | "opening" | { failure: unknown };

type TutorPanelProps = {
  contentItemId: number;
  /** Whether an exam closes the tutor. Undefined while unknown. */
  isExam: boolean | undefined;
} & Pick<ConversationStartOptions, "tried">;

/** The conversation and message in the address, for example from search. */
function named(fragment: string): ConversationToOpenOrReplay {
  const [id, message] = ["conversation", "message"].map((name) => idIn(fragmentParameter(fragment, name)));
  return id === undefined ? {} : { id, message };
}

const idIn = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

/**
 * The tutor of a topic: as high as the window next to the topic, or a sheet over it. With `tried` it starts a
 * conversation with that prompt version.
 */
export function TutorPanel({ contentItemId, tried, isExam }: TutorPanelProps) {
  const [state, setState] = useState<Opened>("opening");
  const [chosen, setChosen] = useState<ConversationToOpenOrReplay>(() =>
    tried ? { isNew: true, tried } : named(location.hash),
  );
  const [hasClassmate, setClassmate] = useState(false);
  const [isWide, setWide] = useState(false);
  const [wantsPractice, setPractice] = useState(false);
  const sheet = useSheetOnNarrowScreens(chosen.id !== undefined);
  const conversation = useMemo(
    () => createConversationClient(apiClient, contentItemId, setState, chosen),
    [contentItemId, chosen],
  );
  const open = async () => {
    try {
      await conversation.open();
      for (const content of chosen.walk ?? []) if (!(await conversation.say(content))) return;
    } catch (failure) {
      setState({ failure });
    }
  };
  // Open once per mount.
  useEffect(() => {
    setState("opening");
    open();
    return () => conversation.leave();
  }, [conversation]);
  const choose = (next: ConversationToOpenOrReplay) =>
    setChosen(tried && next.id === undefined ? { isNew: true, tried } : next);

  const found = typeof state === "object" && !("failure" in state) ? state : undefined;
  const isClosed = isExam === true || isTutorClosedForExamError(found?.fault);
  const kind = hasClassmate ? "two" : isWide ? "wide" : "";
  return (
    <>
      <button type="button" ref={sheet.opener} class="primary open-tutor" onClick={sheet.open}>
        {t("tutor.open")}
      </button>
      <section
        ref={sheet.panel}
        class={`tutor ${kind} ${sheet.isShown ? "shown" : ""}`}
        {...(sheet.isShown && { role: "dialog", "aria-modal": true })}
        aria-labelledby="tutor"
      >
        <div class="tutor-own">
          <div class="tutor-head">
            <h2 id="tutor" tabIndex={-1}>
              {t("tutor")}
            </h2>
            {!isClosed && <PathOfClass session={found?.session} />}
            {!isClosed && found && (
              <ConversationMenu
                contentItemId={contentItemId}
                state={found}
                conversation={conversation}
                onChosen={choose}
                onPractice={() => setPractice(true)}
                onClassmate={hasClassmate ? undefined : () => setClassmate(true)}
                isWide={isWide}
                onWide={hasClassmate || sheet.isNarrow ? undefined : () => setWide(!isWide)}
              />
            )}
            {sheet.isNarrow && (
              <ButtonWithFocusFallback
                class="quiet icon-button"
                aria-label={t("close")}
                title={t("close")}
                onClick={sheet.close}
              >
                <CloseIcon />
              </ButtonWithFocusFallback>
            )}
          </div>
          {isClosed ? (
            <Closed onAgain={isExam ? undefined : open} />
          ) : state === "opening" || isExam === undefined ? (
            <div class="skeleton" role="status">
              <span class="unseen">{t("loading")}</span>
            </div>
          ) : found ? (
            <ConversationView
              contentItemId={contentItemId}
              state={found}
              conversation={conversation}
              found={chosen.message}
              onChosen={choose}
              wantsPractice={wantsPractice}
            />
          ) : (
            "failure" in state && (
              <Notice kind="error" action={{ label: t("try.again"), run: open, refusal: state.failure }}>
                {explainError(state.failure)}
              </Notice>
            )
          )}
        </div>
        {hasClassmate && found && (
          <ClassmateReplayDemo
            contentItemId={contentItemId}
            path={sharedPathMessages(found.session?.messages ?? [], found.session)}
            onClose={() => setClassmate(false)}
          />
        )}
      </section>
    </>
  );
}

/** Asides and tried prompts are not on the shared path. */
function PathOfClass({ session }: { session: TutorChatSession | undefined }) {
  const where = sharedPathStateOfSession(session);
  return where === "path" || where === "left" ? (
    <DialoguePathDots steps={buildDialogueSteps(session?.messages ?? [], session)} />
  ) : null;
}

const Closed = ({ onAgain }: { onAgain: (() => void) | undefined }) => (
  <Notice {...(onAgain && { action: { label: t("try.again"), run: onAgain } })}>{t("tutor.closed")}</Notice>
);
