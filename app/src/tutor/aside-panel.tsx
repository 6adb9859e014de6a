import { choiceOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { explainError } from "../query.tsx";
import { t } from "../texts.ts";
import type { AsideStateAndActions } from "./aside.ts";
import { ConversationMessages } from "./conversation-messages.tsx";
import { HandOffDialog, useMayHandOff } from "./hand-off-dialog.tsx";
import { HandoversWithReplies } from "./handovers.tsx";
import { TutorQuestionOptions } from "./question.tsx";

type BesideProps = { aside: AsideStateAndActions; onAgain: (words: string) => void };

/** The aside at this place, in the stream. Only the learner sees it. */
export function AsideMessages({ aside: { state, say, look }, onAgain }: BesideProps) {
  const [lastSaid, setLastSaid] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const mayAsk = useMayHandOff(state?.session);
  if (!state) return null;
  const { session, said, received, fault } = state;
  if (said !== undefined && said !== lastSaid) setLastSaid(said);
  const last = received === undefined ? session?.messages.at(-1) : undefined;
  const asked = last?.question;
  return (
    <section class="beside" aria-labelledby="beside">
      <h3 id="beside">{t("aside")}</h3>
      <ConversationMessages state={state} onRated={look} onAgain={onAgain} />
      {fault !== undefined && lastSaid !== undefined && (
        <Notice kind="error" action={{ label: t("try.again"), run: () => say(lastSaid), refusal: fault }}>
          {t("tutor.broke.off", { reason: explainError(fault) })}
        </Notice>
      )}
      {asked && (
        <TutorQuestionOptions
          question={asked}
          moves={last?.moves}
          onChoose={(answer) => say(choiceOf(asked, answer), last?.id)}
        />
      )}
      <HandoversWithReplies state={state} look={look} />
      {mayAsk && received === undefined && (
        <ButtonWithFocusFallback class="quiet" onClick={() => setAsking(true)}>
          {t("ask.beside")}
        </ButtonWithFocusFallback>
      )}
      {isAsking && session && (
        <HandOffDialog session={session} label="ask.beside" look={look} onClose={() => setAsking(false)} />
      )}
    </section>
  );
}
