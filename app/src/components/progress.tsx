import { hundredths } from "../format.ts";

/** How far something has come, from 0 to 100. */
export function Progress({ percent, label }: { percent: number; label: string }) {
  return (
    <div class="progress">
      <progress max={100} value={percent} aria-label={label} />
      <span aria-hidden="true">{hundredths(percent)}</span>
    </div>
  );
}
