import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { percent } from "../format.ts";
import { useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import type { Session } from "./sessions.ts";
import { stepsOf } from "./steps.ts";

/** Fewer first tries than this say too little about the learner's level. */
const fewest = 3;

/**
 * Progress in the tutor's questions, with its uncertainty. Loaded once a question has a key and after each
 * answer, else on request.
 */
export function PracticeLine({
  contentItemId,
  session,
}: {
  contentItemId: number;
  session: Session | undefined;
}) {
  const [isWanted, want] = useState(false);
  const hasKey = (session?.messages.at(-1)?.moves ?? []).length > 0;
  if (hasKey && !isWanted) want(true);
  const answered = stepsOf(session?.messages ?? []).filter(({ kind }) => kind === "choice").length;
  if (answered === 0) return null;
  if (isWanted || hasKey) return <Line contentItemId={contentItemId} answered={answered} />;
  return (
    <Button class="quiet" onClick={() => want(true)}>
      {t("practice.show")}
    </Button>
  );
}

/** Renders nothing on failure, since it is optional. */
function Line({ contentItemId, answered }: { contentItemId: number; answered: number }) {
  const [shown, show] = useState<Schemas["TutorProgress"]>();
  const path = { content_id: contentItemId };
  const { value } = useQuery(
    (signal) => dataOf(api.getTutorProgress({ params: { path }, signal })),
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
  if (estimate === null || observations < fewest) return `${line} ${t("practice.few")}`;
  return `${line} ${t("practice.estimate", { percent: percent(estimate), n: observations })}`;
}
