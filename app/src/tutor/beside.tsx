import { choiceOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Action } from "../components/action.tsx";
import { Notice } from "../components/notice.tsx";
import { explain } from "../query.tsx";
import { t } from "../texts.ts";
import type { Aside } from "./aside.ts";
import { Handovers } from "./handovers.tsx";
import { Messages } from "./messages.tsx";
import { Options } from "./question.tsx";

type BesideProps = { aside: Aside; onAgain: (words: string) => void };

/** The aside at this place. Only the learner sees it. */
export function AsidePanel({ aside: { state, say, look, stop }, onAgain }: BesideProps) {
  const [lastSaid, setLastSaid] = useState<string>();
  if (!state) return null;
  const { session, said, received, fault } = state;
  if (said !== undefined && said !== lastSaid) setLastSaid(said);
  const last = received === undefined ? session?.messages.at(-1) : undefined;
  const asked = last?.question;
  return (
    <section class="beside" aria-labelledby="beside">
      <h3 id="beside">{t("aside")}</h3>
      <Messages state={state} onRated={look} onAgain={onAgain} label={t("aside.log")} />
      {fault !== undefined && lastSaid !== undefined && (
        <Notice kind="error" action={{ label: t("try.again"), run: () => say(lastSaid), refusal: fault }}>
          {t("tutor.broke.off", { reason: explain(fault) })}
        </Notice>
      )}
      {received !== undefined && (
        <Action class="quiet" run={stop}>
          {t("tutor.stop")}
        </Action>
      )}
      {asked && (
        <Options
          question={asked}
          moves={last?.moves}
          onChoose={(answer) => say(choiceOf(asked, answer), last?.id)}
        />
      )}
      <Handovers state={state} label="ask.beside" look={look} />
    </section>
  );
}
