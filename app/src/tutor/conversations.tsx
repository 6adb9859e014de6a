import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { formatDayAndTime } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { type ConversationSummary, listConversations } from "./sessions.ts";

type ConversationsProps = {
  contentItemId: number;
  current: number | undefined;
  onOpen: (id: number) => void;
  onGone: () => void;
};

/** The user's conversations about a topic: search, rename and delete. */
export function ConversationsList({ contentItemId, current, onOpen, onGone }: ConversationsProps) {
  const lines = useQuery(
    (signal) => listConversations(apiClient, contentItemId, signal),
    [contentItemId, current],
  );
  const end = async (gone: readonly ConversationSummary[]) => {
    if (!gone[0] || !confirm(t("conversation.delete.sure"))) return;
    await dataOf(apiClient.deleteChatSession({ params: { path: { session_id: gone[0].id } } }));
    if (gone.some(({ id }) => id === current)) onGone();
    lines.again();
  };
  const [words, setWords] = useState("");
  return (
    <QueryBoundary of={lines}>
      {(all) => (
        <>
          {all.length > fewLines && (
            <input
              type="search"
              class="narrow"
              aria-label={t("conversations.find")}
              placeholder={t("conversations.find")}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          )}
          <ul class="lines conversations">
            {all
              .filter(({ aside_of }) => aside_of === null)
              .map((line) => ({ line, asides: all.filter(({ aside_of }) => aside_of === line.id) }))
              .filter(({ line, asides }) => [line, ...asides].some((one) => hasWords(one, words)))
              .map(({ line, asides }) => {
                const shared = { current, onOpen, onNamed: lines.again };
                return (
                  <li key={line.id}>
                    <OneOf line={line} {...shared} onDelete={() => end([line, ...asides])} />
                    {asides.length > 0 && (
                      <ul class="lines">
                        {asides.map((aside) => (
                          <li key={aside.id}>
                            <OneOf line={aside} {...shared} onDelete={() => end([aside])} />
                          </li>
                        ))}
                      </ul>
                    )}
                  </li>
                );
              })}
            {all.length === 0 && <li>{t("conversations.none")}</li>}
          </ul>
        </>
      )}
    </QueryBoundary>
  );
}

/** Up to this many need no search field. */
const fewLines = 5;

const hasWords = (line: ConversationSummary, words: string): boolean =>
  conversationName(line).toLocaleLowerCase().includes(words.trim().toLocaleLowerCase());

type OneOfProps = {
  line: ConversationSummary;
  current: number | undefined;
  onOpen: (id: number) => void;
  onNamed: () => void;
  onDelete: () => Promise<void>;
};

function OneOf({ line, current, onOpen, onNamed, onDelete }: OneOfProps) {
  const [isNaming, setNaming] = useState(false);
  const name = conversationName(line);
  const said = (text: string) => `${text}: ${name}`;
  return (
    <div class="conversation-line">
      <span>
        {name} <small>{t("conversation.messages", { n: line.message_count })}</small>{" "}
        {line.tried_prompt && <span class="badge waiting">{triedIn(line.tried_prompt)}</span>}{" "}
        {line.id === current && <span class="badge active">{t("conversation.here")}</span>}
      </span>
      {isNaming ? (
        <Naming
          line={line}
          onDone={() => {
            setNaming(false);
            onNamed();
          }}
        />
      ) : (
        <span class="row">
          {line.id !== current && (
            <ButtonWithFocusFallback
              class="quiet"
              aria-label={said(t("conversation.open"))}
              onClick={() => onOpen(line.id)}
            >
              {t("conversation.open")}
            </ButtonWithFocusFallback>
          )}
          <ButtonWithFocusFallback
            class="quiet"
            aria-label={said(t("conversation.name"))}
            onClick={() => setNaming(true)}
          >
            {t("conversation.name")}
          </ButtonWithFocusFallback>
          <ActionButton class="quiet" label={said(t("conversation.delete"))} run={onDelete}>
            {t("conversation.delete")}
          </ActionButton>
        </span>
      )}
    </div>
  );
}

function Naming({ line, onDone }: { line: ConversationSummary; onDone: () => void }) {
  const [title, setTitle] = useState(line.title ?? "");
  const save = async () => {
    const params = { path: { session_id: line.id } };
    await dataOf(apiClient.updateChatSession({ params, body: { title: title.trim() || null } }));
    onDone();
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        event.currentTarget.querySelector("button")?.click();
      }}
    >
      <label>
        {t("conversation.title")}
        <input value={title} maxLength={255} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <ActionButton class="primary" run={save}>
        {t("save")}
      </ActionButton>
    </form>
  );
}

const triedIn = ({ name, version }: { name: string; version: number }): string => `${name} v${version}`;

/** The title, or the start date. */
export const conversationName = ({
  title,
  aside_of,
  created_at,
}: Pick<ConversationSummary, "title" | "aside_of" | "created_at">) =>
  title ?? t(aside_of === null ? "conversation.of" : "aside.of", { moment: formatDayAndTime(created_at) });
