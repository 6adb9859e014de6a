import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { percent } from "../format.ts";
import { useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import type { Session } from "./sessions.ts";
import { stepsOf } from "./steps.ts";

/** From so few first tries nothing is said of how well someone knows a topic. */
const fewest = 3;

/**
 * How far a learner has come with the tutor's questions, and how sure that is. It is read once questions with a key are
 * met, which offer moves, and again after each answer; elsewhere, such as where a conversation has ended, on request.
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

/** It says nothing where it cannot be read: nobody waits for it. */
function Line({ contentItemId, answered }: { contentItemId: number; answered: number }) {
  const [shown, show] = useState<Schemas["TutorProgress"]>();
  const path = { content_id: contentItemId };
  const { value } = useQuery(
    (signal) => dataOf(api.getTutorProgress({ params: { path }, signal })),
    [contentItemId, answered],
  );
  // The last one stays until the next is there.
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
