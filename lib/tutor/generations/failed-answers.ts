import { sql } from "drizzle-orm";
import { describeError } from "../../platform/logging/log.ts";
import { truncate } from "../../platform/text/truncate.ts";
import type { FailedAnswer } from "./checked-draft.ts";
import type { AnswerProducerState } from "./producer-deps.ts";

/** In characters. */
const maxFailedAnswerCharacters = 20_000;

/** Stores both texts for staff, without the learner's own words. A failure costs only this entry. */
export async function storeFailedAnswer(
  { db, lease, log }: AnswerProducerState,
  { failed, text, second }: FailedAnswer,
): Promise<void> {
  const secondText = second && second.text !== "" ? truncate(second.text, maxFailedAnswerCharacters) : null;
  try {
    await db.execute(sql`
      with made as (
        select content_item_id, parent_id, message, prompt_name, prompt_version, model, node_id
        from generations as one where id = ${lease.generation} and message is not null and (
          parent_id is null or is_tutor_move_message(message) or exists (
            select from cache_nodes as parent, jsonb_each_text(parent.choices) as choice
            where parent.id = one.parent_id and choice.value = one.message))
      )
      insert into failed_answers (
        content_item_id, parent_id, message, prompt_name, prompt_version, model, node_id, answer, failed, second_answer,
        second_failed)
      select content_item_id, parent_id, message, prompt_name, prompt_version, model, node_id,
             ${truncate(text, maxFailedAnswerCharacters)}, ${JSON.stringify(failed)}::jsonb, ${secondText},
             ${second ? JSON.stringify(second.failed) : null}::jsonb
      from made`);
  } catch (error) {
    log.error({ error: describeError(error) }, "an answer that failed a check was not kept for staff");
  }
}
