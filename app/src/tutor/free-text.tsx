import { useEffect, useRef, useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { t } from "../texts.ts";
import { SendIcon, StopIcon } from "./icons.tsx";

type FreeTextProps = {
  /** Sending is disabled while an answer streams. */
  isReceiving: boolean;
  /** Explains where free text goes. */
  note: string;
  onSay: (content: string) => void;
  onStop: () => Promise<void>;
  /** Text to insert. A new object inserts it again. */
  again: { words: string } | undefined;
};

/** The service's limit, in characters. */
const maxFreeTextCharacters = 32_000;

export function FreeTextForm({ isReceiving, note, onSay, onStop, again }: FreeTextProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!again) return;
    setText(again.words);
    field.current?.focus();
  }, [again]);
  const send = (event?: Event) => {
    event?.preventDefault();
    if (isReceiving || text.trim() === "") return;
    onSay(text.trim());
    setText("");
    field.current?.focus();
  };
  return (
    <form class="say" onSubmit={send}>
      <label class="unseen" for="own-words">
        {t("tutor.own.words")}
      </label>
      <textarea
        id="own-words"
        ref={field}
        rows={1}
        maxLength={maxFreeTextCharacters}
        value={text}
        placeholder={t("tutor.own.words")}
        aria-describedby="own-words-note"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && !event.shiftKey && !event.isComposing && send(event)}
      />
      {/* Not where an option or Send was: a double click must not stop the answer. */}
      {isReceiving && (
        <ActionButton class="icon-button" run={onStop} label={t("tutor.stop")}>
          <StopIcon />
        </ActionButton>
      )}
      <button
        type="submit"
        class="primary icon-button"
        disabled={isReceiving}
        aria-label={t("tutor.send")}
        title={t("tutor.send")}
      >
        <SendIcon />
      </button>
      <small id="own-words-note" class="note">
        {note}
      </small>
    </form>
  );
}
