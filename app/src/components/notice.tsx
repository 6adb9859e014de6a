import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { useWaiting } from "./use-waiting.ts";

type NoticeProps = {
  kind?: "error" | "info" | "good";
  /** What can be done, once the time is over that the refusal asks to be waited for. */
  action?: { label: string; run: () => void; refusal?: unknown };
  children: ComponentChildren;
};

/** Something that people should know now; an error is said at once by a screen reader. */
export function Notice({ kind = "info", action, children }: NoticeProps) {
  const isWaiting = useWaiting(action?.refusal);
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      <p>{children}</p>
      {action && (
        <Button onClick={action.run} disabled={isWaiting}>
          {action.label}
        </Button>
      )}
    </div>
  );
}
