import { dataOf, inMemory, type PlatformClient } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { Notice } from "../components/notice.tsx";
import { explain } from "../query.tsx";
import { api, clientOf } from "../service.ts";
import { usePerson } from "../session.tsx";
import { t } from "../texts.ts";
import { type Conversation, type ConversationState, createConversation } from "./conversation.ts";
import { Messages } from "./messages.tsx";

type ClassmateProps = { contentItemId: number; path: string[]; onClose: () => void };

type Companion = { name: string; client: PlatformClient };

/**
 * Walks the same path as someone else, beside one's own conversation: what the class has heard already makes no call of
 * the LLM. Where there is a demonstration it is another learner, else a second conversation of one's own.
 */
export function Classmate({ contentItemId, path, onClose }: ClassmateProps) {
  const { profile } = usePerson();
  const [state, setState] = useState<ConversationState>({});
  const [name, setName] = useState("");
  const [fault, setFault] = useState<unknown>();
  const goOn = useRef(() => {});

  // The path as it was when the classmate was opened.
  useEffect(() => {
    let hasLeft = false;
    let conversation: Conversation | undefined;
    const ahead = [...path];
    const begin = async () => {
      const companion = (await anotherLearner(profile.email)) ?? {
        name: t("classmate.yourself"),
        client: api,
      };
      setName(companion.name);
      return createConversation(companion.client, contentItemId, setState, true);
    };
    const walk = async () => {
      conversation ??= await begin();
      while (!hasLeft && ahead[0] !== undefined && (await conversation.say(ahead[0]))) ahead.shift();
    };
    goOn.current = () => {
      setFault(undefined);
      walk().catch(setFault);
    };
    goOn.current();
    return () => {
      hasLeft = true;
      conversation?.leave();
    };
  }, []);

  const answers = (state.session?.messages ?? []).filter(({ role }) => role === "assistant");
  const saved = answers.filter(({ meta }) => meta.source === "cache" || meta.joined).length;
  const failure = fault ?? state.fault;
  return (
    <aside class="tutor-classmate" aria-labelledby="classmate">
      <div class="row">
        <h2 id="classmate">{name || t("classmate")}</h2>
        <button type="button" class="quiet" onClick={onClose}>
          {t("close")}
        </button>
      </div>
      <p class="counter" role="status">
        <strong>{saved}</strong> {t("classmate.saved", { saved, all: answers.length })}
      </p>
      <Messages state={state} label={t("classmate.log", { name: name || t("classmate") })} />
      {failure !== undefined && (
        <Notice kind="error" action={{ label: t("try.again"), run: () => goOn.current(), refusal: failure }}>
          {explain(failure)}
        </Notice>
      )}
    </aside>
  );
}

/** Someone else of the demonstration who learns, signed in for this conversation alone. */
async function anotherLearner(email: string): Promise<Companion | undefined> {
  const accounts = await dataOf(api.listDemonstrationAccounts());
  const other = accounts.find((account) => account.role === "STUDENT" && account.email !== email);
  if (!other) return undefined;
  const session = inMemory();
  const client = clientOf(session);
  const credentials = { email: other.email, password: other.password };
  session.write(await dataOf(client.login({ body: credentials })));
  return { name: other.full_name, client };
}
