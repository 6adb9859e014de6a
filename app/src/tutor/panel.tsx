import { choiceOf, type TutorQuestion } from "learning-platform-client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Action } from "../components/action.tsx";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { explain, useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { type Text, t } from "../texts.ts";
import { useAside } from "./aside.ts";
import { Beside } from "./beside.tsx";
import { Classmate, learnersOfDemonstration } from "./classmate.tsx";
import { type Conversation, type ConversationState, createConversation, type Which } from "./conversation.ts";
import { Conversations } from "./conversations.tsx";
import { FreeText } from "./free-text.tsx";
import { Meant } from "./meant.tsx";
import { Messages } from "./messages.tsx";
import { Path } from "./path.tsx";
import { Options } from "./question.tsx";
import type { Session } from "./sessions.ts";
import { Share } from "./share.tsx";
import { sharedPath, startMessage, stepsOf } from "./steps.ts";
import { typedChoice } from "./typed-choice.ts";

type Opened = ConversationState | "opening" | { failure: unknown };

/** The conversation that is shown, and what is said in it to come to where another one stood. */
type Chosen = Which & { walk?: readonly string[] };

/** The tutor of a topic: the conversation, the path through the class's tree, and what can be said next. */
export function TutorPanel({ contentItemId }: { contentItemId: number }) {
  const [state, setState] = useState<Opened>("opening");
  const [chosen, setChosen] = useState<Chosen>({});
  const [hasClassmate, setClassmate] = useState(false);
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
  // A conversation is opened once.
  useEffect(() => {
    setState("opening");
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
            contentItemId={contentItemId}
            state={state}
            conversation={conversation}
            onChosen={setChosen}
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

type TalkingProps = {
  contentItemId: number;
  state: ConversationState;
  conversation: Conversation;
  onChosen: (chosen: Chosen) => void;
  onClassmate: (() => void) | undefined;
};

/** Typed words that look like an option of that question. */
type Typed = { words: string; asked: TutorQuestion; option: TutorQuestion["options"][number] };

function Talking({ contentItemId, state, conversation, onChosen, onClassmate }: TalkingProps) {
  const { session, received, fault } = state;
  const [lastSaid, setLastSaid] = useState(startMessage);
  const [typed, setTyped] = useState<Typed>();
  const aside = useAside(contentItemId, session);
  const isReceiving = received !== undefined;
  const messages = session?.messages ?? [];
  const say = (content: string) => {
    setTyped(undefined);
    setLastSaid(content);
    // What is said beside the path from here on stands beside another place.
    aside.fold();
    return conversation.say(content);
  };
  const asked = isReceiving ? null : messages.at(-1)?.question;
  const where = whereabouts(session);
  const ownWords = (words: string) => {
    setTyped(undefined);
    return where === "path" ? aside.say(words) : say(words);
  };
  const onSay = (words: string) => {
    const option = typedChoice(asked, words);
    if (asked && option) setTyped({ words, asked, option });
    else ownWords(words);
  };
  const backToPath = async () => {
    const whole = await conversation.whole();
    const path = sharedPath(whole?.messages ?? [], whole);
    onChosen({ isNew: true, walk: path.length > 0 ? path : [startMessage] });
  };
  const isAsideReceiving = aside.state?.received !== undefined;
  return (
    <>
      {session?.title && <p class="eyebrow">{session.title}</p>}
      {where !== "aside" && <Path steps={stepsOf(messages, session)} />}
      <Messages state={state} onRated={conversation.look} onOlder={conversation.older} />
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
      {asked && !session?.closed_at && (
        <Options question={asked} onChoose={(id) => say(choiceOf(asked, id))} />
      )}
      {where === "left" && !isReceiving && (
        <Notice>
          {t("tutor.left")}{" "}
          <Action class="quiet" run={backToPath}>
            {t("tutor.return")}
          </Action>
        </Notice>
      )}
      {session && where === "aside" && (
        <Notice
          action={{ label: t("aside.back"), run: () => onChosen({ id: session.aside_of ?? undefined }) }}
        >
          {t(session.closed_at ? "aside.closed" : "aside.about")}
        </Notice>
      )}
      <Beside aside={aside} />
      {typed && typed.asked === asked && (
        <Meant
          option={typed.option}
          onChoose={() => say(choiceOf(typed.asked, typed.option.id))}
          onWords={() => ownWords(typed.words)}
        />
      )}
      {messages.length === 0 && !isReceiving && where !== "aside" ? (
        <Begin onBegin={() => say(startMessage)} />
      ) : (
        !session?.closed_at && (
          <FreeText isReceiving={isReceiving || isAsideReceiving} note={t(notes[where])} onSay={onSay} />
        )
      )}
      {session && messages.length > 0 && <NotRead session={session} />}
      {session && messages.length > 0 && !isReceiving && (
        <div class="row tools">
          <Button class="quiet" onClick={() => onChosen({ isNew: true })}>
            {t("conversation.new")}
          </Button>
          <Share session={session} onChange={conversation.look} />
          {onClassmate && where !== "aside" && <OpenAsClassmate onOpen={onClassmate} />}
        </div>
      )}
      <Conversations
        contentItemId={contentItemId}
        current={session?.id}
        onOpen={(id) => onChosen({ id })}
        onGone={() => onChosen({})}
      />
    </>
  );
}

/** On the class's path, or having left it, or beside one. */
type Whereabouts = "path" | "left" | "aside";

function whereabouts(session: Session | undefined): Whereabouts {
  if (session && session.aside_of !== null) return "aside";
  return session?.cache_state === "DIVERGED" && session.messages.length > 0 ? "left" : "path";
}

const notes: Record<Whereabouts, Text> = {
  path: "tutor.beside",
  left: "tutor.private",
  aside: "tutor.private",
};

/** What of the topic the tutor has not read. */
function NotRead({ session: { not_read } }: { session: Session }) {
  if (not_read.length === 0) return null;
  const named = [...new Set(not_read.map(({ kind, label }) => t(`not.read.${kind}`, { label })))];
  return (
    <p class="quiet not-read">
      <small>{t("not.read", { what: named.slice(0, 5).join(", ") + (named.length > 5 ? " …" : "") })}</small>
    </p>
  );
}

/** The demonstration's alone: elsewhere nobody signs in for someone else. */
function OpenAsClassmate({ onOpen }: { onOpen: () => void }) {
  const learners = useQuery(learnersOfDemonstration, []);
  if ((learners.value ?? []).length < 2) return null;
  return (
    <button type="button" class="quiet" onClick={onOpen}>
      {t("classmate.open")}
    </button>
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
