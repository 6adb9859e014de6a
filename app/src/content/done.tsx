import { ActionButton } from "../components/action.tsx";
import { t } from "../texts.ts";
import type { ItemProgress } from "./item-progress.ts";

/** For items that the learner marks as complete. */
export function Done({ progress, complete }: { progress: ItemProgress; complete: () => Promise<void> }) {
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
