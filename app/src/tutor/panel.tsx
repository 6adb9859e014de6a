import { choiceOf, type TutorQuestion } from "learning-platform-client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Action } from "../components/action.tsx";
import { Notice } from "../components/notice.tsx";
import { explain } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { Classmate } from "./classmate.tsx";
import { type Conversation, type ConversationState, createConversation } from "./conversation.ts";
import { Messages } from "./messages.tsx";
import { Path } from "./path.tsx";
import { Share } from "./share.tsx";
import { sharedPath, startMessage, stepsOf } from "./steps.ts";

type Opened = ConversationState | "opening" | { failure: unknown };

/** The tutor of a topic: the conversation, the path through the class's tree, and what can be said next. */
export function TutorPanel({ contentItemId }: { contentItemId: number }) {
  const [state, setState] = useState<Opened>("opening");
  const [hasClassmate, setClassmate] = useState(false);
  const conversation = useMemo(() => createConversation(api, contentItemId, setState), [contentItemId]);
  const open = () => conversation.open().catch((failure) => setState({ failure }));
  // A conversation is opened once.
  useEffect(() => {
    open();
    return () => conversation.leave();
  }, [conversation]);

  return (
    <section class={hasClassmate ? "tutor two" : "tutor"} aria-labelledby="tutor">
      <div class="tutor-own">
        <h2 id="tutor">{t("tutor")}</h2>
        {state === "opening" ? (
          <div class="skeleton" role="status">
            <span class="unseen">{t("loading")}</span>
          </div>
        ) : "failure" in state ? (
          <Notice kind="error" action={{ label: t("try.again"), run: open, refusal: state.failure }}>
            {explain(state.failure)}
          </Notice>
        ) : (
          <Talking
            state={state}
            conversation={conversation}
            onClassmate={hasClassmate ? undefined : () => setClassmate(true)}
          />
        )}
      </div>
      {hasClassmate && typeof state === "object" && !("failure" in state) && (
        <Classmate
          contentItemId={contentItemId}
          path={sharedPath(state.session?.messages ?? [])}
          onClose={() => setClassmate(false)}
        />
      )}
    </section>
  );
}

type TalkingProps = {
  state: ConversationState;
  conversation: Conversation;
  onClassmate: (() => void) | undefined;
};

function Talking({ state, conversation, onClassmate }: TalkingProps) {
  const { session, received, fault } = state;
  const [lastSaid, setLastSaid] = useState(startMessage);
  const isReceiving = received !== undefined;
  const messages = session?.messages ?? [];
  const say = (content: string) => {
    setLastSaid(content);
    return conversation.say(content);
  };
  const asked = isReceiving ? null : messages.at(-1)?.question;
  const hasLeft = session?.cache_state === "DIVERGED" && messages.length > 0;
  return (
    <>
      <Path steps={stepsOf(messages)} />
      <Messages state={state} onRated={conversation.look} />
      {fault !== undefined && (
        <Notice kind="error" action={{ label: t("try.again"), run: () => say(lastSaid), refusal: fault }}>
          {t("tutor.broke.off", { reason: explain(fault) })}
        </Notice>
      )}
      {isReceiving && (
        <Action class="quiet" run={conversation.stop}>
          {t("tutor.stop")}
        </Action>
      )}
      {asked && <Options question={asked} onChoose={(id) => say(choiceOf(asked, id))} />}
      {hasLeft && !isReceiving && (
        <Notice action={{ label: t("tutor.return"), run: () => say(startMessage) }}>{t("tutor.left")}</Notice>
      )}
      {messages.length === 0 && !isReceiving ? (
        <Begin onBegin={() => say(startMessage)} />
      ) : (
        <FreeText isReceiving={isReceiving} isOnPath={!hasLeft} onSay={say} />
      )}
      {session && messages.length > 0 && !isReceiving && (
        <div class="row tools">
          <Share session={session} onChange={conversation.look} />
          {onClassmate && (
            <button type="button" class="quiet" onClick={onClassmate}>
              {t("classmate.open")}
            </button>
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

/** The tutor's question: an option is one step on the class's path. */
function Options({ question, onChoose }: { question: TutorQuestion; onChoose: (id: string) => void }) {
  return (
    <fieldset class="options">
      <legend>{question.question}</legend>
      {question.options.map(({ id, text }) => (
        <button key={id} type="button" class="option" onClick={() => onChoose(id)}>
          <b>{id}</b> {text}
        </button>
      ))}
    </fieldset>
  );
}

type FreeTextProps = { isReceiving: boolean; isOnPath: boolean; onSay: (content: string) => void };

/** The longest message that the service takes. */
const longest = 32_000;

/** Words of one's own; while they would leave the class's path, the form says so. */
function FreeText({ isReceiving, isOnPath, onSay }: FreeTextProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const send = (event?: Event) => {
    event?.preventDefault();
    if (isReceiving || text.trim() === "") return;
    onSay(text.trim());
    setText("");
    field.current?.focus();
  };
  const leaves = isOnPath && text.trim() !== "";
  return (
    <form class={leaves ? "say leaves" : "say"} onSubmit={send}>
      <label class="unseen" for="own-words">
        {t("tutor.own.words")}
      </label>
      <textarea
        id="own-words"
        ref={field}
        rows={2}
        maxLength={longest}
        value={text}
        placeholder={t("tutor.own.words")}
        aria-describedby="own-words-note"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && !event.shiftKey && !event.isComposing && send(event)}
      />
      <button type="submit" disabled={isReceiving}>
        {t("tutor.send")}
      </button>
      <small id="own-words-note" class="note">
        {isOnPath ? t("tutor.leaves") : t("tutor.private")}
      </small>
    </form>
  );
}
