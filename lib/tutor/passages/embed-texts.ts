import { sql } from "drizzle-orm";
import type { Deps } from "../../deps.ts";
import type { EmbeddingsProvider } from "../../platform/llm/embeddings.ts";
import type { EmbeddedTextKind } from "../../platform/metrics/metrics.ts";
import { recordEmbeddingCallSql } from "./record-embedding-call.ts";

/** For a step's texts. */
const maxEmbeddingStepMs = 60_000;

const uses = { passage: "document", measure: "query" } as const;

/**
 * Embeds a university's texts, with metrics and a call record. Rejected texts get an empty vector, which is
 * similar to nothing. Rejects with `LlmError` if the model is unavailable.
 */
export async function embedUniversityTexts(
  { db, config, metrics }: Pick<Deps, "db" | "config" | "metrics">,
  embeddings: EmbeddingsProvider,
  of: Exclude<EmbeddedTextKind, "question">,
  { university_id, texts }: { university_id: number; texts: readonly string[] },
  stopping: AbortSignal,
): Promise<number[][]> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(maxEmbeddingStepMs)]);
  try {
    const { vectors, tokens } = await embeddings.embed(texts, { university_id, use: uses[of], signal });
    const refused = vectors.filter((vector) => !vector).length;
    metrics.embedded(of, "made", vectors.length - refused, tokens);
    if (refused > 0) metrics.embedded(of, "refused", refused, 0);
    const { model } = embeddings;
    await db.execute(
      recordEmbeddingCallSql(
        config.LLM_PRICES,
        { model, tokens },
        { university_id: sql`${university_id}::int` },
      ),
    );
    return vectors.map((vector) => vector ?? []);
  } catch (error) {
    metrics.embedded(of, "failed", texts.length, 0);
    throw error;
  }
}
