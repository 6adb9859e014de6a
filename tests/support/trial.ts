import { trialCases, trials } from "../../schema/db/tutor/trials.ts";
import type { World } from "./world.ts";

/** A pending trial of a prompt version on one answer of a topic. Its only case already has an answer. */
export async function insertTrial(
  { deps: { db } }: World,
  { course_id, content_item_id }: { course_id: number; content_item_id: number },
): Promise<{ trial_id: number; case_id: number }> {
  const tried = { prompt_name: "campus/prompt", version: 2, against: 1, model: "model-of-the-tests" };
  const [trial] = await db
    .insert(trials)
    .values({
      ...{ course_id, ...tried, kind: "STEP", limit_micros: 1000 },
      ...{ prompt_fingerprint: "two", against_fingerprint: "one" },
      ...{ estimated_input_tokens: 1, estimated_output_tokens: 1, estimated_micros: 1 },
    })
    .returning({ id: trials.id });
  if (!trial) throw new Error("no trial was made");
  const said = { message: "Start.", exchanges: [], recorded: "UniversityFixture recorded." };
  const answered = { answer: "UniversityFixture answered.", prompt_fingerprint: "two", checks: {} };
  const [pair] = await db
    .insert(trialCases)
    .values({ trial_id: trial.id, content_item_id, node_id: 1, visits: 1, ...said, ...answered })
    .returning({ id: trialCases.id });
  if (!pair) throw new Error("no case was made");
  return { trial_id: trial.id, case_id: pair.id };
}
