import { choiceOf, type TutorQuestion } from "learning-platform-client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Action } from "../components/action.tsx";
import { Notice } from "../components/notice.tsx";
import { explain } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { Classmate } from "./classmate.tsx";
import { type Conversation, type Talk, talkAbout } from "./conversation.ts";
import { Messages } from "./messages.tsx";
import { sharedWay, startMessage, stepsOf } from "./steps.ts";
import { Share } from "./share.tsx";
import { Way } from "./path.tsx";

type Opened = Conversation | "opening" | { failure: unknown };

/** The tutor of a topic: the conversation, the way through the class's tree, and what can be said next. */
export function TutorPanel({ contentItemId }: { contentItemId: number }) {
  const [conversation, setConversation] = useState<Opened>("opening");
  const [hasClassmate, setClassmate] = useState(false);
  const talk = useMemo(() => talkAbout(api, contentItemId, setConversation), [contentItemId]);
  const open = () => talk.open().catch((failure) => setConversation({ failure }));
  // A conversation is opened once.
  useEffect(() => {
    open();
    return () => talk.leave();
  }, [talk]);

  return (
    <section class={hasClassmate ? "tutor two" : "tutor"} aria-labelledby="tutor">
      <div class="tutor-own">
        <h2 id="tutor">{t("tutor")}</h2>
        {conversation === "opening" ? (
          <div class="skeleton" role="status">
            <span class="unseen">{t("loading")}</span>
          </div>
        ) : "failure" in conversation ? (
          <Notice kind="error" action={{ label: t("try.again"), run: open, refusal: conversation.failure }}>
            {explain(conversation.failure)}
          </Notice>
        ) : (
          <Talking
            conversation={conversation}
            talk={talk}
            onClassmate={hasClassmate ? undefined : () => setClassmate(true)}
          />
        )}
      </div>
      {hasClassmate && typeof conversation === "object" && !("failure" in conversation) && (
        <Classmate
          contentItemId={contentItemId}
          way={sharedWay(conversation.session?.messages ?? [])}
          onClose={() => setClassmate(false)}
        />
      )}
    </section>
  );
}

type TalkingProps = { conversation: Conversation; talk: Talk; onClassmate: (() => void) | undefined };

function Talking({ conversation, talk, onClassmate }: TalkingProps) {
  const { session, heard, fault } = conversation;
  const [lastSaid, setLastSaid] = useState(startMessage);
  const isTelling = heard !== undefined;
  const messages = session?.messages ?? [];
  const say = (content: string) => {
    setLastSaid(content);
    return talk.say(content);
  };
  const asked = isTelling ? null : messages.at(-1)?.question;
  const hasLeft = session?.cache_state === "DIVERGED" && messages.length > 0;
  return (
    <>
      <Way steps={stepsOf(messages)} />
      <Messages conversation={conversation} onRated={talk.look} />
      {fault !== undefined && (
        <Notice kind="error" action={{ label: t("try.again"), run: () => say(lastSaid), refusal: fault }}>
          {t("tutor.broke.off", { reason: explain(fault) })}
        </Notice>
      )}
      {isTelling && (
        <Action class="quiet" run={talk.stop}>
          {t("tutor.stop")}
        </Action>
      )}
      {asked && <Options question={asked} onChoose={(id) => say(choiceOf(asked, id))} />}
      {hasLeft && !isTelling && (
        <Notice action={{ label: t("tutor.return"), run: () => say(startMessage) }}>{t("tutor.left")}</Notice>
      )}
      {messages.length === 0 && !isTelling ? (
        <Begin onBegin={() => say(startMessage)} />
      ) : (
        <FreeText isTelling={isTelling} isOnPath={!hasLeft} onSay={say} />
      )}
      {session && messages.length > 0 && !isTelling && (
        <div class="row tools">
          <Share session={session} onChange={talk.look} />
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

type FreeTextProps = { isTelling: boolean; isOnPath: boolean; onSay: (content: string) => void };

/** The longest message that the service takes. */
const longest = 32_000;

/** Words of one's own; while they would leave the class's path, the form says so. */
function FreeText({ isTelling, isOnPath, onSay }: FreeTextProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const send = (event?: Event) => {
    event?.preventDefault();
    if (isTelling || text.trim() === "") return;
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
      <button type="submit" disabled={isTelling}>
        {t("tutor.send")}
      </button>
      <small id="own-words-note" class="note">
        {isOnPath ? t("tutor.leaves") : t("tutor.private")}
      </small>
    </form>
  );
}
