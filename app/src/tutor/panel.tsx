import { useEffect, useMemo, useState } from "preact/hooks";
import styles from "../../styles/later/tutor.css";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { adoptStyles } from "../later-styles.ts";
import { explain } from "../query.tsx";
import { parameterOf } from "../routes.ts";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { Classmate } from "./classmate.tsx";
import { createConversation } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import type { SessionStart } from "./sessions.ts";
import { sharedPath } from "./steps.ts";
import { ConversationView, type OpenConversation } from "./talking.tsx";

adoptStyles(styles);

type Opened = ConversationState | "opening" | { failure: unknown };

type TutorPanelProps = { contentItemId: number } & Pick<SessionStart, "tried">;

/** The conversation and message in the address, for example from search. */
function named(fragment: string): OpenConversation {
  const [id, message] = ["conversation", "message"].map((name) => idIn(parameterOf(fragment, name)));
  return id === undefined ? {} : { id, message };
}

const idIn = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

/** The tutor of a topic: conversation, path and input. With `tried` it starts a conversation with that prompt version. */
export function TutorPanel({ contentItemId, tried }: TutorPanelProps) {
  const [state, setState] = useState<Opened>("opening");
  const [chosen, setChosen] = useState<OpenConversation>(() =>
    tried ? { isNew: true, tried } : named(location.hash),
  );
  const [hasClassmate, setClassmate] = useState(false);
  const [isWide, setWide] = useState(false);
  const conversation = useMemo(
    () => createConversation(api, contentItemId, setState, chosen),
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

  return (
    <section class={hasClassmate ? "tutor two" : isWide ? "tutor wide" : "tutor"} aria-labelledby="tutor">
      <div class="tutor-own">
        <div class="tutor-head">
          <h2 id="tutor">{t("tutor")}</h2>
          {!hasClassmate && (
            <Button class="quiet" aria-pressed={isWide} onClick={() => setWide(!isWide)}>
              {t("tutor.wide")}
            </Button>
          )}
        </div>
        {state === "opening" ? (
          <div class="skeleton" role="status">
            <span class="unseen">{t("loading")}</span>
          </div>
        ) : "failure" in state ? (
          <Notice kind="error" action={{ label: t("try.again"), run: open, refusal: state.failure }}>
            {explain(state.failure)}
          </Notice>
        ) : (
          <ConversationView
            contentItemId={contentItemId}
            state={state}
            conversation={conversation}
            found={chosen.message}
            onChosen={(next) => setChosen(tried && next.id === undefined ? { isNew: true, tried } : next)}
            onClassmate={hasClassmate ? undefined : () => setClassmate(true)}
          />
        )}
      </div>
      {hasClassmate && typeof state === "object" && !("failure" in state) && (
        <Classmate
          contentItemId={contentItemId}
          path={sharedPath(state.session?.messages ?? [], state.session)}
          onClose={() => setClassmate(false)}
        />
      )}
    </section>
  );
}
