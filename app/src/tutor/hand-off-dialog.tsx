import { Dialog } from "../components/dialog.tsx";
import { lazyComponentWithTexts } from "../components/on-demand.tsx";
import { t } from "../texts.ts";
import type { TutorChatSession } from "./sessions.ts";
import { useTopicOffering } from "./topic-context.ts";

const HandOffForm = lazyComponentWithTexts(async () => (await import("./hand-off-form.tsx")).HandOffForm);

/** Whether the reader may hand off this conversation. */
export function useMayHandOff(session: TutorChatSession | undefined): boolean {
  const topic = useTopicOffering();
  return topic?.mayAsk === true && (session?.messages.length ?? 0) > 0;
}

type AskDialogProps = {
  session: TutorChatSession;
  /** An aside and its conversation are handed off separately. */
  label: "ask" | "ask.beside";
  look: () => Promise<void>;
  onClose: () => void;
};

/** A form that hands off messages of a conversation. */
export function HandOffDialog({ session, label, look, onClose }: AskDialogProps) {
  const topic = useTopicOffering();
  const finish = async () => {
    await look();
    onClose();
  };
  return (
    <Dialog label={t(label)} onClose={onClose}>
      {topic && <HandOffForm session={session} offering={Number(topic.offering)} onAsked={finish} />}
    </Dialog>
  );
}
