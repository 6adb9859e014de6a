import { t } from "../texts.ts";
import { moveLabel } from "./moves.ts";
import type { Step } from "./steps.ts";

/** The path as a line. Filled dots are shared with the class, hollow ones are private. */
export function DialoguePath({ steps }: { steps: Step[] }) {
  if (steps.length === 0) return null;
  return (
    // Long paths scroll.
    <ol class="path" aria-label={t("path")} tabIndex={0}>
      {steps.map((step, at) => (
        // Steps are only appended, so the index is a stable key.
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
  if (step.kind === "move") return moveLabel(step.move);
  return step.kind === "choice" ? step.label : step.content;
}
