import { t } from "../texts.ts";
import { Stream } from "./stream.tsx";
import { Turns, type TurnsProps } from "./turns.tsx";

type MessagesProps = Pick<TurnsProps, "state"> & {
  label?: string;
  /** The conversation starts at the top. */
  isWhole?: boolean;
};

/** A read-only conversation. */
export function TutorMessagesList({ state, label, isWhole = false }: MessagesProps) {
  return (
    <Stream
      label={label ?? t("tutor.log")}
      opensAt={isWhole ? "top" : "answer"}
      isReceiving={state.received !== undefined}
      last={state.session?.messages.at(-1)}
    >
      <Turns state={state} />
    </Stream>
  );
}
