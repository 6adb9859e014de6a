import type { TutorQuestion } from "learning-platform-client";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../texts.ts";

type MeantProps = {
  option: TutorQuestion["options"][number];
  onChoose: () => void;
  onWords: () => void;
};

/** Asks whether typed text means an option. Only the learner decides. */
export function TypedOptionConfirmation({ option: { id, text }, onChoose, onWords }: MeantProps) {
  const first = useRef<HTMLButtonElement>(null);
  // The user typed, so keep the keyboard focus here.
  useLayoutEffect(() => first.current?.focus(), []);
  return (
    <fieldset class="notice meant">
      <legend>{t("meant", { option: id === text ? id : `${id} – ${text}` })}</legend>
      <button type="button" class="primary" ref={first} onClick={onChoose}>
        {t("meant.choose")}
      </button>
      <button type="button" onClick={onWords}>
        {t("meant.words")}
      </button>
    </fieldset>
  );
}
