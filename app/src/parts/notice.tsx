import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";

type NoticeProps = {
  kind?: "error" | "info" | "good";
  action?: { label: string; run: () => void };
  children: ComponentChildren;
};

/** Something that people should know now; an error is said at once by a screen reader. */
export function Notice({ kind = "info", action, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      <p>{children}</p>
      {action && <Button onClick={action.run}>{action.label}</Button>}
    </div>
  );
}
