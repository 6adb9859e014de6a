import { formatPercentOf100 } from "../format.ts";
import { TranslatedSentenceWithTitle } from "../markup/text-in-content-language.tsx";

type ProgressProps = { percent: number } & (
  | { label: string }
  /** Authored text, in the language of its course (default: that of the surrounding content). */
  | { title: string; lang?: string | undefined }
);

export function ProgressBar({ percent, ...of }: ProgressProps) {
  if ("label" in of)
    return (
      <div class="progress">
        <progress max={100} value={percent} aria-label={of.label} />
        <span aria-hidden="true">{formatPercentOf100(percent)}</span>
      </div>
    );
  // `aria-label` has a single language. A title in another language needs a visible element.
  return (
    <div class="progress">
      <progress max={100} value={percent} aria-hidden="true" />
      <span class="unseen">
        <TranslatedSentenceWithTitle text="progress.of" title={of.title} lang={of.lang} />:
      </span>
      <span>{formatPercentOf100(percent)}</span>
    </div>
  );
}
