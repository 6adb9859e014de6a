import { ActionButton } from "../components/action.tsx";
import { t } from "../texts.ts";

export const PublishedOrDraftBadge = ({ isOpen }: { isOpen: boolean }) => (
  <span class={`badge ${isOpen ? "completed" : "waiting"}`}>
    {t(isOpen ? "state.published" : "state.draft")}
  </span>
);

type PublishingProps = { title: string; isOpen: boolean; turn: () => Promise<unknown> };

/** The badge with a button that toggles it. */
export const PublishToggleWithBadge = ({ title, isOpen, turn }: PublishingProps) => (
  <>
    <PublishedOrDraftBadge isOpen={isOpen} />
    <ActionButton class="quiet" run={turn} named={{ text: isOpen ? "withdraw.of" : "publish.of", title }}>
      {t(isOpen ? "withdraw" : "publish")}
    </ActionButton>
  </>
);
