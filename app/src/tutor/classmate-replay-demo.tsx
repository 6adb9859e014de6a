import { dataOf, inMemory, type PlatformClient, type Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { explainError } from "../query.tsx";
import { apiClient, createSessionApiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { type ConversationClient, createConversationClient } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import { ReadOnlyConversation } from "./read-only-conversation.tsx";

type ClassmateProps = { contentItemId: number; path: string[]; onClose: () => void };

type Companion = { name: string; client: PlatformClient };

/** Demonstration only: replays the path as another learner, to show that cached answers need no LLM call. */
export function ClassmateReplayDemo({ contentItemId, path, onClose }: ClassmateProps) {
  const { profile } = useCurrentUser();
  const [state, setState] = useState<ConversationState>({});
  const [name, setName] = useState("");
  const [fault, setFault] = useState<unknown>();
  const goOn = useRef(() => {});

  // Uses the path from when the classmate was opened.
  useEffect(() => {
    let hasLeft = false;
    let conversation: ConversationClient | undefined;
    const ahead = [...path];
    const begin = async () => {
      const companion = await anotherLearner(profile.email ?? "");
      setName(companion.name);
      return createConversationClient(companion.client, contentItemId, setState, { isNew: true });
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
        <ButtonWithFocusFallback class="quiet" onClick={onClose}>
          {t("close")}
        </ButtonWithFocusFallback>
      </div>
      <p class="counter" role="status">
        <strong>{saved}</strong> {t("classmate.saved", { saved, all: answers.length })}
      </p>
      <ReadOnlyConversation state={state} label={t("classmate.log", { name: name || t("classmate") })} />
      {failure !== undefined && (
        <Notice kind="error" action={{ label: t("try.again"), run: () => goOn.current(), refusal: failure }}>
          {explainError(failure)}
        </Notice>
      )}
    </aside>
  );
}

let accounts: Promise<Schemas["DemonstrationAccount"][]> | undefined;

/** The demonstration's learners, or none. Loaded once. */
export async function loadDemonstrationLearners(): Promise<Schemas["DemonstrationAccount"][]> {
  accounts ??= dataOf(apiClient.listDemonstrationAccounts());
  return (await accounts.catch(() => [])).filter(({ role }) => role === "STUDENT");
}

/** A client that is signed in as another demonstration learner, for this conversation only. */
async function anotherLearner(email: string): Promise<Companion> {
  const other = (await loadDemonstrationLearners()).find((account) => account.email !== email);
  if (!other) throw new Error("There is no other learner");
  const session = inMemory();
  const client = createSessionApiClient(session);
  const credentials = { email: other.email, password: other.password };
  session.write(await dataOf(client.login({ body: credentials })));
  return { name: other.full_name, client };
}
