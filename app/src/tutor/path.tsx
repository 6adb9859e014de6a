import { t } from "../texts.ts";
import { moveInWords } from "./moves.ts";
import type { Step } from "./steps.ts";

/** The path through the topic as a line: filled dots are shared with the class, hollow ones beside the line are not. */
export function Path({ steps }: { steps: Step[] }) {
  if (steps.length === 0) return null;
  return (
    // It scrolls where it is long.
    <ol class="path" aria-label={t("path")} tabIndex={0}>
      {steps.map((step, at) => (
        // A step is where it is, and steps are only added.
        <li key={at} class={step.isOnPath ? "on" : "off"} title={labelOf(step)}>
          <span class="unseen">
            {labelOf(step)} – {step.isOnPath ? t("path.shared") : t("path.own")}
          </span>
        </li>
      ))}
    </ol>
  );
}

function labelOf(step: Step): string {
  if (step.kind === "start") return t("path.start");
  if (step.kind === "move") return moveInWords(step.move);
  return step.kind === "choice" ? step.label : step.content;
}
