import { useEffect, useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { useContentLanguage } from "../markup/content-language.ts";
import { t } from "../texts.ts";
import { CheckIcon, CopyIcon, SpeakerIcon } from "./icons.tsx";

/** The answer's visible text, without markup. */
const drawnWords = (button: Element): string =>
  button.closest("article")?.querySelector(".prose")?.textContent ?? "";

export function CopyAnswerButton({ source }: { source: string }) {
  const [isCopied, setCopied] = useState(false);
  // Browsers provide the clipboard only over HTTPS.
  if (!navigator.clipboard) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(source);
    setCopied(true);
  };
  return (
    <ActionButton class="quiet" run={copy} label={t(isCopied ? "answer.copied" : "answer.copy")}>
      {isCopied ? <CheckIcon /> : <CopyIcon />}
    </ActionButton>
  );
}

export function ReadAloudButton() {
  const [isReading, setReading] = useState(false);
  const lang = useContentLanguage();
  // Stop reading on unmount.
  useEffect(() => () => void (isReading && speechSynthesis.cancel()), [isReading]);
  const read = (event: Event) => {
    const wasReading = isReading;
    speechSynthesis.cancel();
    setReading(!wasReading);
    if (wasReading) return;
    const words = new SpeechSynthesisUtterance(drawnWords(event.currentTarget as Element));
    if (lang) words.lang = lang;
    words.onend = () => setReading(false);
    words.onerror = () => setReading(false);
    speechSynthesis.speak(words);
  };
  return (
    <ButtonWithFocusFallback
      class="quiet"
      aria-pressed={isReading}
      aria-label={t("answer.read.aloud")}
      title={t("answer.read.aloud")}
      onClick={read}
    >
      <SpeakerIcon />
    </ButtonWithFocusFallback>
  );
}
