import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { formatFractionAsPercent } from "../format.ts";
import { useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import type { TutorChatSession } from "./sessions.ts";
import { buildDialogueSteps } from "./steps.ts";

/** Fewer first tries than this say too little about the learner's level. */
const minPracticeObservations = 3;

type PracticeLineProps = { contentItemId: number; session: TutorChatSession | undefined; isWanted: boolean };

/**
 * Progress in the tutor's questions, with its uncertainty. Loaded once a question has a key and after each
 * answer, else on request.
 */
export function PracticeProgressLine({ contentItemId, session, isWanted }: PracticeLineProps) {
  const [wasKeyed, setKeyed] = useState(false);
  const hasKey = (session?.messages.at(-1)?.moves ?? []).length > 0;
  if (hasKey && !wasKeyed) setKeyed(true);
  const answered = countAnsweredQuestions(session);
  if (answered === 0 || !(isWanted || wasKeyed)) return null;
  return <Line contentItemId={contentItemId} answered={answered} />;
}

/** How many questions the learner has answered in a conversation. */
export const countAnsweredQuestions = (session: TutorChatSession | undefined): number =>
  buildDialogueSteps(session?.messages ?? []).filter(({ kind }) => kind === "choice").length;

/** Renders nothing on failure, since it is optional. */
function Line({ contentItemId, answered }: { contentItemId: number; answered: number }) {
  const [shown, show] = useState<Schemas["TutorProgress"]>();
  const path = { content_id: contentItemId };
  const { value } = useQuery(
    (signal) => dataOf(apiClient.getTutorProgress({ params: { path }, signal })),
    [contentItemId, answered],
  );
  // Keeps the last value while the next one loads.
  if (value && value !== shown) show(value);
  const progress = value ?? shown;
  if (!progress) return null;
  return (
    <p class="quiet practice">
      <small>{inWords(progress)}</small>
    </p>
  );
}

function inWords({
  questions,
  right_at_first_try,
  known,
  estimate,
  observations,
}: Schemas["TutorProgress"]): string {
  if (questions === 0) return t("practice.none");
  const line = t("practice.line", { right: right_at_first_try, n: questions });
  if (known) return `${line} ${t("practice.known")}`;
  if (estimate === null || observations < minPracticeObservations) return `${line} ${t("practice.few")}`;
  return `${line} ${t("practice.estimate", { percent: formatFractionAsPercent(estimate), n: observations })}`;
}
