import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import type { TrialPathParams } from "./trial-path.ts";

type VotesProps = {
  path: TrialPathParams & { case_id: number };
  votes: Schemas["TrialCaseVotes"];
  onVoted: () => void;
};

const verdicts = ["RECORDED", "TIE", "CANDIDATE"] as const;

/** Votes on a pair. Pressing the chosen button again withdraws the vote. */
export function TrialPairVoteButtons({ path, votes, onVoted }: VotesProps) {
  const counts = { RECORDED: votes.recorded, TIE: votes.tie, CANDIDATE: votes.candidate };
  const vote = async (verdict: (typeof verdicts)[number]) => {
    if (votes.own === verdict) await dataOf(apiClient.takeBackPromptTrialVote({ params: { path } }));
    else await dataOf(apiClient.voteOnPromptTrialCase({ params: { path }, body: { vote: verdict } }));
    onVoted();
  };
  return (
    <fieldset class="row">
      <legend>{t("trial.vote")}</legend>
      {verdicts.map((verdict) => (
        <ActionButton key={verdict} class="quiet" pressed={votes.own === verdict} run={() => vote(verdict)}>
          {t(`trial.verdict.${verdict}`)} ({counts[verdict]})
        </ActionButton>
      ))}
    </fieldset>
  );
}
