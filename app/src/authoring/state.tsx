import { Action } from "../components/action.tsx";
import { t } from "../texts.ts";

/** Whether learners see something. */
export const State = ({ isOpen }: { isOpen: boolean }) => (
  <span class={`badge ${isOpen ? "completed" : "waiting"}`}>
    {t(isOpen ? "state.published" : "state.draft")}
  </span>
);

type PublishingProps = { title: string; isOpen: boolean; turn: () => Promise<unknown> };

/** The same for one of many, with the button that turns it. */
export const Publishing = ({ title, isOpen, turn }: PublishingProps) => (
  <>
    <State isOpen={isOpen} />
    <Action class="quiet" run={turn} named={{ text: isOpen ? "withdraw.of" : "publish.of", title }}>
      {t(isOpen ? "withdraw" : "publish")}
    </Action>
  </>
);
