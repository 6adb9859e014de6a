import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../texts.ts";

type FreeTextProps = {
  /** While an answer is received nothing is sent. */
  isReceiving: boolean;
  /** What becomes of words that are typed here. */
  note: string;
  onSay: (content: string) => void;
  /** Words that are put into the field, as often as it is another object. */
  again: { words: string } | undefined;
};

/** The longest message that the service takes. */
const longest = 32_000;

/** Words of one's own. */
export function FreeText({ isReceiving, note, onSay, again }: FreeTextProps) {
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
        rows={2}
        maxLength={longest}
        value={text}
        placeholder={t("tutor.own.words")}
        aria-describedby="own-words-note"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && !event.shiftKey && !event.isComposing && send(event)}
      />
      <button type="submit" disabled={isReceiving}>
        {t("tutor.send")}
      </button>
      <small id="own-words-note" class="note">
        {note}
      </small>
    </form>
  );
}
