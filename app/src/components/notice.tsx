import type { ComponentChildren } from "preact";
import { ButtonWithFocusFallback } from "./button.tsx";
import { useIsRetryAfterRunning } from "./use-retry-after.ts";

type NoticeProps = {
  kind?: "error" | "info" | "good";
  /** An action, enabled once the refusal's Retry-After has passed. */
  action?: { label: string; run: () => void; refusal?: unknown };
  children: ComponentChildren;
};

/** A message. Screen readers announce errors immediately. */
export function Notice({ kind = "info", action, children }: NoticeProps) {
  const isWaiting = useIsRetryAfterRunning(action?.refusal);
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      <p>{children}</p>
      {action && (
        <ButtonWithFocusFallback onClick={action.run} disabled={isWaiting}>
          {action.label}
        </ButtonWithFocusFallback>
      )}
    </div>
  );
}
