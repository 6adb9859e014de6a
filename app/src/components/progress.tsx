import { hundredths } from "../format.ts";
import { Around } from "../markup/written.tsx";

type ProgressProps = { percent: number } & (
  | { label: string }
  /** Of what authors wrote, in the language of its course; by default that of the content around it. */
  | { title: string; lang?: string | undefined }
);

/** How far something has come, from 0 to 100. */
export function Progress({ percent, ...of }: ProgressProps) {
  if ("label" in of)
    return (
      <div class="progress">
        <progress max={100} value={percent} aria-label={of.label} />
        <span aria-hidden="true">{hundredths(percent)}</span>
      </div>
    );
  // A label has one language: words that have a title in another are read where they stand.
  return (
    <div class="progress">
      <progress max={100} value={percent} aria-hidden="true" />
      <span class="unseen">
        <Around text="progress.of" title={of.title} lang={of.lang} />:
      </span>
      <span>{hundredths(percent)}</span>
    </div>
  );
}
