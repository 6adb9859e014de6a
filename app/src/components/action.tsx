import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import {
  TranslatedSentenceWithTitle,
  type TranslatedSentenceWithTitleProps,
} from "../markup/text-in-content-language.tsx";
import { explainError } from "../query.tsx";
import { type TextKey, t } from "../texts.ts";
import { ButtonWithFocusFallback } from "./button.tsx";

type ActionProps = {
  run: () => Promise<unknown>;
  class?: string;
  pressed?: boolean;
  label?: string;
  /** Used instead of `label`: a sentence with authored text, in the language of its course. */
  named?: { text: TextKey; title: string; lang?: string | undefined };
  disabled?: boolean;
  children: ComponentChildren;
};

type NamedProps = TranslatedSentenceWithTitleProps & { children: ComponentChildren };

/** The visible label, plus a sentence for screen readers in which each part has its language. */
export const LabelWithScreenReaderSentence = ({ children, ...sentence }: NamedProps) => (
  <>
    <span aria-hidden="true">{children}</span>
    <span class="unseen">
      <TranslatedSentenceWithTitle {...sentence} />
    </span>
  </>
);

/** A button that runs a request: disabled while it runs, and shows the error if it fails. */
export function ActionButton({
  run,
  class: kind = "",
  pressed,
  label,
  named,
  disabled = false,
  children,
}: ActionProps) {
  const [state, setState] = useState<{ isRunning: boolean; fault?: string }>({ isRunning: false });
  const start = async () => {
    if (state.isRunning) return;
    setState({ isRunning: true });
    try {
      await run();
      setState({ isRunning: false });
    } catch (error) {
      setState({ isRunning: false, fault: explainError(error) });
    }
  };
  return (
    <span class="action">
      <ButtonWithFocusFallback
        class={kind}
        onClick={start}
        disabled={disabled}
        aria-busy={state.isRunning}
        aria-pressed={pressed}
        aria-label={label}
        title={named ? t(named.text, { title: named.title }) : label}
      >
        {named ? (
          <LabelWithScreenReaderSentence {...named}>{children}</LabelWithScreenReaderSentence>
        ) : (
          children
        )}
      </ButtonWithFocusFallback>
      {state.fault && (
        <span class="fault" role="alert">
          {state.fault}
        </span>
      )}
    </span>
  );
}
