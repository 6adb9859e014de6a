import { t } from "../texts.ts";

/** Whether learners see something. */
export const State = ({ isOpen }: { isOpen: boolean }) => (
  <span class={`badge ${isOpen ? "completed" : "waiting"}`}>
    {t(isOpen ? "state.published" : "state.draft")}
  </span>
);
