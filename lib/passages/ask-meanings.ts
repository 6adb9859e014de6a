import { sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import type { Embeddings } from "../llm/embeddings.ts";
import type { EmbeddedText } from "../metrics/metrics.ts";
import { noteCall } from "./note-call.ts";

/** The longest that the model may take for the texts of a step. */
const mostMilliseconds = 60_000;

const uses = { passage: "document", measure: "query" } as const;

/**
 * What texts of a university mean, as the schedule asks for it: counted, and written down as a call. A text that the model refuses
 * has a vector without elements: it is like nothing. Rejects with an `LlmError` where the model cannot be asked.
 */
export async function askMeanings(
  { db, config, metrics }: Pick<Deps, "db" | "config" | "metrics">,
  embeddings: Embeddings,
  of: Exclude<EmbeddedText, "question">,
  { university_id, texts }: { university_id: number; texts: readonly string[] },
  stopping: AbortSignal,
): Promise<number[][]> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(mostMilliseconds)]);
  try {
    const { vectors, tokens } = await embeddings.embed(texts, { university_id, use: uses[of], signal });
    const refused = vectors.filter((vector) => !vector).length;
    metrics.embedded(of, "made", vectors.length - refused, tokens);
    if (refused > 0) metrics.embedded(of, "refused", refused, 0);
    const { model } = embeddings;
    await db.execute(
      noteCall(config.LLM_PRICES, { model, tokens }, { university_id: sql`${university_id}::int` }),
    );
    return vectors.map((vector) => vector ?? []);
  } catch (error) {
    metrics.embedded(of, "failed", texts.length, 0);
    throw error;
  }
}
