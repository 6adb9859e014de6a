import { choiceOf } from "learning-platform-client";
import { type Text, t } from "../texts.ts";
import type { ConversationState } from "./conversation-state.ts";
import { FreeText } from "./free-text.tsx";
import { Meant } from "./meant.tsx";
import { startMessage } from "./steps.ts";
import type { TalkingState } from "./use-talking.ts";
import { type Whereabouts, whereabouts } from "./whereabouts.ts";

const notes: Record<Whereabouts, Text> = {
  path: "tutor.beside",
  left: "tutor.private",
  aside: "tutor.private",
  tried: "tutor.tried.private",
};

type MessageInputProps = {
  state: ConversationState;
  talking: TalkingState;
  /** Words that were said before, and are to be changed and asked anew. */
  again: { words: string } | undefined;
};

/** Where a conversation is begun, or something of one's own is said; before it, which option the words may have meant. */
export function MessageInput({ state, talking, again }: MessageInputProps) {
  const { session, received } = state;
  const { aside, asked, typed, say, sayInOwnWords, sayTyped } = talking;
  const where = whereabouts(session);
  const isReceiving = received !== undefined;
  const isAsideReceiving = aside.state?.received !== undefined;
  return (
    <>
      {typed && typed.asked === asked && (
        <Meant
          option={typed.option}
          onChoose={() => say(choiceOf(typed.asked, typed.option.id))}
          onWords={() => sayInOwnWords(typed.words)}
        />
      )}
      {(session?.messages ?? []).length === 0 && !isReceiving && where !== "aside" ? (
        <Begin onBegin={() => say(startMessage)} />
      ) : (
        !session?.closed_at && (
          <FreeText
            isReceiving={isReceiving || isAsideReceiving}
            note={t(notes[where])}
            onSay={sayTyped}
            again={again}
          />
        )
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
