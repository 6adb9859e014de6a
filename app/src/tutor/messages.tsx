import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { number } from "../format.ts";
import { Prose } from "../markup/prose.tsx";
import { Action } from "../parts/action.tsx";
import { Thumb } from "../parts/icons.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import type { Conversation } from "./conversation.ts";
import { type Said, saidIn, wordsOf } from "./path.ts";

type Message = Schemas["ChatMessage"];

type MessagesProps = {
  conversation: Pick<Conversation, "said" | "heard"> & {
    session?: Pick<Schemas["ChatSessionWithMessages"], "messages" | "has_more">;
  };
  onRated?: () => Promise<void>;
  label?: string;
};

/** A conversation. What is being told is read out when it is whole, not word by word. */
export function Messages({ conversation: { session, said, heard }, onRated, label }: MessagesProps) {
  const messages = session?.messages ?? [];
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const follow = () => {
      element.scrollTop = element.scrollHeight;
    };
    follow();
    // Markup comes a moment after the words.
    const watching = new MutationObserver(follow);
    watching.observe(element, { childList: true, subtree: true, characterData: true });
    return () => watching.disconnect();
  }, []);
  const isStored =
    said !== undefined && messages.at(-1)?.role === "user" && messages.at(-1)?.content === said;
  return (
    <div
      class="messages"
      ref={list}
      role="log"
      aria-busy={heard !== undefined}
      tabIndex={0}
      aria-label={label ?? t("tutor.log")}
    >
      {session?.has_more && <p class="quiet">{t("tutor.older")}</p>}
      {messages.map((message, at) =>
        message.role === "user" ? (
          <OwnWords key={message.id} said={saidIn(message.content, messages[at - 1]?.question)} />
        ) : (
          <Answer key={message.id} message={message} onRated={onRated} />
        ),
      )}
      {said !== undefined && !isStored && <OwnWords said={saidIn(said, messages.at(-1)?.question)} />}
      {heard !== undefined && (
        <div class="answer telling">
          {wordsOf(heard) === "" ? (
            <p class="thinking">{t("tutor.thinking")}</p>
          ) : (
            <Prose source={wordsOf(heard)} />
          )}
        </div>
      )}
    </div>
  );
}

function OwnWords({ said }: { said: Said }) {
  if (said.kind === "start") return null;
  return <p class={`own ${said.kind}`}>{said.kind === "choice" ? said.label : said.content}</p>;
}

function Answer({ message, onRated }: { message: Message; onRated?: (() => Promise<void>) | undefined }) {
  return (
    <div class="answer">
      <Prose source={wordsOf(message.content)} />
      <p class="answer-foot">
        <Source meta={message.meta} />
        {onRated && <Keep message={message} />}
        {onRated && <Thumbs message={message} onRated={onRated} />}
      </p>
    </div>
  );
}

/** Where an answer came from: a call of the LLM, or the class's tree. */
function Source({ meta }: Pick<Message, "meta">) {
  if (meta.stop) return <span class="badge stopped">{t(`stop.${meta.stop}`)}</span>;
  if (meta.source === "cache")
    return (
      <span class="badge class">{t("source.class", { ms: number(Math.round(meta.latency_ms ?? 0)) })}</span>
    );
  if (meta.joined) return <span class="badge class">{t("source.joined")}</span>;
  return meta.source === "llm" ? <span class="badge live">{t("source.live")}</span> : null;
}

/** Makes a flashcard of an answer, to be repeated later. */
function Keep({ message }: { message: Message }) {
  const [isKept, setKept] = useState(false);
  const keep = async () => {
    await dataOf(api.createFlashcardFromAnswer({ body: { message_id: message.id } }));
    setKept(true);
  };
  if (isKept)
    return (
      <span role="status" class="quiet">
        {t("card.kept")}
      </span>
    );
  return (
    <Action class="quiet" run={keep}>
      {t("card.keep")}
    </Action>
  );
}

function Thumbs({ message, onRated }: { message: Message; onRated: () => Promise<void> }) {
  const given = message.feedback?.rating;
  const rate = (rating: "up" | "down") => async () => {
    const params = { path: { message_id: message.id } };
    if (given === rating) await dataOf(api.withdrawChatFeedback({ params }));
    else await dataOf(api.rateChatAnswer({ params, body: { rating } }));
    await onRated();
  };
  return (
    <span class="thumbs">
      <Action class="quiet" run={rate("up")} pressed={given === "up"} label={t("thumbs.up")}>
        <Thumb />
      </Action>
      <Action class="quiet" run={rate("down")} pressed={given === "down"} label={t("thumbs.down")}>
        <Thumb isDown />
      </Action>
    </span>
  );
}
