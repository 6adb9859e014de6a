import { type TextKey, t } from "../texts.ts";
import type { ConversationState } from "./conversation-state.ts";
import { FreeTextForm } from "./free-text.tsx";
import { type SharedPathState, sharedPathStateOfSession } from "./path-state.ts";
import { TypedOptionConfirmation } from "./typed-option-confirmation.tsx";
import type { ConversationInputState } from "./use-conversation-input.ts";

const notes: Record<SharedPathState, TextKey> = {
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
  onStop: () => Promise<void>;
};

/** Sends free text. First asks if the text may mean an option. */
export function TutorMessageForm({
  state: { session, received },
  talking,
  again,
  onStop,
}: MessageInputProps) {
  const { aside, asked, typed, choose, sayInOwnWords, sayTyped } = talking;
  return (
    <>
      {typed && typed.asked === asked && (
        <TypedOptionConfirmation
          option={typed.option}
          onChoose={() => choose(typed.option.id)}
          onWords={() => sayInOwnWords(typed.words)}
        />
      )}
      <FreeTextForm
        isReceiving={received !== undefined || aside.state?.received !== undefined}
        note={t(notes[sharedPathStateOfSession(session)])}
        onSay={sayTyped}
        onStop={onStop}
        again={again}
      />
    </>
  );
}
