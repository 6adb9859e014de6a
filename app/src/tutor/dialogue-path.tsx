import { t } from "../texts.ts";
import { dialogueMoveLabel } from "./moves.ts";
import type { DialogueStep } from "./steps.ts";

/** The path as a line. Filled dots are shared with the class, hollow ones are private. */
export function DialoguePathDots({ steps }: { steps: DialogueStep[] }) {
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

function labelOf(step: DialogueStep): string {
  if (step.kind === "start") return t("path.start");
  if (step.kind === "move") return dialogueMoveLabel(step.move);
  return step.kind === "choice" ? step.label : step.content;
}
