import { ActionButton } from "../components/action.tsx";
import { t } from "../texts.ts";
import type { OutlineItemWithOnChange } from "./item-progress.ts";

/** For items that the learner marks as complete. */
export function MarkDoneButtonOrBadge({
  progress,
  complete,
}: {
  progress: OutlineItemWithOnChange;
  complete: () => Promise<void>;
}) {
  if (progress.line?.completed_at)
    return (
      <p class="badge completed" role="status">
        <span aria-hidden="true">✓</span> {t("done")}
      </p>
    );
  return (
    <ActionButton class="primary" run={complete}>
      {t("mark.done")}
    </ActionButton>
  );
}
