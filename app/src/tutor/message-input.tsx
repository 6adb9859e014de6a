import { type Text, t } from "../texts.ts";
import type { ConversationState } from "./conversation-state.ts";
import { FreeText } from "./free-text.tsx";
import { DidYouMean } from "./meant.tsx";
import { startMessage } from "./steps.ts";
import type { ConversationInputState } from "./use-talking.ts";
import { type PathState, pathStateOf } from "./whereabouts.ts";

const notes: Record<PathState, Text> = {
  path: "tutor.beside",
  left: "tutor.private",
  aside: "tutor.private",
  tried: "tutor.tried.private",
};

type MessageInputProps = {
  state: ConversationState;
  talking: ConversationInputState;
  /** An earlier message to edit and send again. */
  again: { words: string } | undefined;
};

/** Starts a conversation or sends free text. First asks if the text may mean an option. */
export function MessageInput({ state, talking, again }: MessageInputProps) {
  const { session, received } = state;
  const { aside, asked, typed, say, choose, sayInOwnWords, sayTyped } = talking;
  const where = pathStateOf(session);
  const isReceiving = received !== undefined;
  const isAsideReceiving = aside.state?.received !== undefined;
  return (
    <>
      {typed && typed.asked === asked && (
        <DidYouMean
          option={typed.option}
          onChoose={() => choose(typed.option.id)}
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
